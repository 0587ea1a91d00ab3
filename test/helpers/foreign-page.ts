import type { ExecutionContext } from 'ava';
import type { Browser, Page } from 'playwright-core';
import { answering } from './local-server.ts';

/** Opens pages of other origins: of another host name, and of the same one at another port, which is the same site. */
export async function openForeignPages(t: ExecutionContext, browser: Browser) {
  const port = await answering(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>foreign</title>');
  });
  const context = await browser.newContext();
  t.teardown(() => context.close());
  return Promise.all(
    ['localhost', '127.0.0.1'].map(async (host) => {
      const page = await context.newPage();
      await page.goto(`http://${host}:${port}/`);
      return page;
    }),
  );
}

/**
 * Has a page read and write waypoints by every kind of request that a script can send.
 * @param headers what opens the API for the page's own
 * @returns for each try the status of the answer, or `blocked` when the page gets none; what is opaque has status 0
 */
export function tryToReadAndWrite(
  page: Page,
  origin: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly (number | 'blocked')[]> {
  const body = JSON.stringify({ name: 'Planted', lat: 1, lon: 2 });
  const json = { ...headers, 'content-type': 'application/json' };
  const tries: readonly (readonly [path: string, options: RequestInit])[] = [
    ['/api/waypoints', { headers }],
    ['/api/waypoints', {}],
    ['/api/waypoints', { mode: 'no-cors' }],
    ['/api/bookmarks', { method: 'POST', headers: json, body }],
    ['/api/bookmarks', { method: 'POST', mode: 'no-cors', body }],
    ['/api/imports?path=a.gpx', { method: 'PUT', headers, body: '<gpx/>' }],
  ];
  return page.evaluate(`Promise.all(${JSON.stringify(tries)}.map(([path, options]) =>
    fetch(${JSON.stringify(origin)} + path, options).then(({ status }) => status, () => 'blocked')))`);
}
