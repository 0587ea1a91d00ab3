/** Serves the page of this folder on 127.0.0.1 and lets it use waypointd. Run it with: node server.js [PORT] */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { askDaemon, findDaemon } from 'waypointd/client/waypoints/node';
import { createProxy, foreign, refuse } from './proxy.js';

/** Where files lie, by the first part of their paths: plain modules that any browser runs as they are. */
const folders = {
  '': new URL('page/', import.meta.url),
  'waypointd/': new URL('../../../', import.meta.resolve('waypointd/client/waypoints/node')),
  'maplibre-gl/': new URL('./', import.meta.resolve('maplibre-gl')),
};
const types = { html: 'text/html', js: 'text/javascript', mjs: 'text/javascript', css: 'text/css' };
/** These letters can neither leave a folder nor name a hidden file. */
const file =
  /^\/(waypointd\/(?=client\/waypoints\/|model\/)|maplibre-gl\/|)((?:[a-z-]+\/)*[a-z-]+\.(html|m?js|css))$/u;

/** Only who was given this start's address may use the API through us: other users of this machine were not. */
const key = randomBytes(32).toString('base64url');
const proxy = createProxy({ key, findDaemon, askDaemon });

const server = createServer(
  { headersTimeout: 5_000, requestTimeout: 15_000 },
  (request, response) => {
    answer(request, response).catch(() => response.destroy());
  },
);
server.maxConnections = 64;
server.listen(Number(process.argv[2] ?? 8043), '127.0.0.1', () => {
  // What stands behind the # stays in the browser; the page takes its key from there.
  console.log(`http://127.0.0.1:${server.address().port}/#${key}`);
});

async function answer(request, response) {
  const status = foreign(request, server.address().port);
  if (status !== undefined) return refuse(response, status, 'forbidden', 'This is not for you.');
  if (request.url.startsWith('/api/')) return proxy(request, response);
  return giveFile(request, response);
}

async function giveFile({ method, url }, response) {
  const { pathname } = new URL(url, 'http://localhost');
  const [, folder, name, ending] = file.exec(pathname === '/' ? '/index.html' : pathname) ?? [];
  const isAsked = method === 'GET' && name !== undefined;
  const content = isAsked && (await readFile(new URL(name, folders[folder])).catch(() => false));
  if (content === false) {
    return refuse(response, 404, 'not_found', 'There is nothing here by that name.');
  }
  response.writeHead(200, {
    'content-type': `${types[ending]}; charset=utf-8`,
    'cache-control': 'no-cache',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(content);
}
