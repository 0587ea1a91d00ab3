import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { route, type Route } from '../../http/route.ts';

/** By ending; what a browser must run or show as something certain. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.geojson': 'application/geo+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** MapLibre draws pictures from memory; all else is of this server, and nothing may be put round or into it. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'Content-Security-Policy': policy,
  'Content-Encoding': 'gzip',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};

/** Routes of the built page, by their paths: each file stands there as `NAME.gz`, and no other is ever looked for. */
export function pageRoutes(directory: string): Route[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.gz')).map((name) => join(directory, name));
  return files.map((file) => {
    const path = relative(directory, file).slice(0, -'.gz'.length).split(sep).join('/');
    return route({
      method: 'GET',
      path: path === 'index.html' ? '/' : `/${path}`,
      summary: 'Sends a file of the page.',
      answers: {},
      handle: async () => ({
        status: 200,
        contentType: types[extname(path)] ?? 'application/octet-stream',
        headers,
        pieces: [await readFile(file)],
      }),
    });
  });
}
