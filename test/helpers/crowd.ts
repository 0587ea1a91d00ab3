import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { ann, basic, bob, oidOf, type TestObjects } from './objects.ts';
import { rawRequest } from './raw-http.ts';
import { until } from './until.ts';

/** Another address than that of those who are asked whether they get in. */
const localAddress = '127.0.0.2';
const path = `/club/maps/objects/${oidOf(Buffer.from('crowd'))}`;

/** Beginnings of requests that go on for ever. */
export const slowRequests = {
  stranger: rawRequest(`PUT ${path}/content`, ['Content-Length: 100000']),
  'stranger with a body to be read': rawRequest('POST /club/maps/objects', [
    'Content-Type: application/json',
    'Content-Length: 100000',
  ]),
  user: rawRequest(`PUT ${path}/content`, [
    `Authorization: ${basic(ann)}`,
    'Content-Length: 100000',
  ]),
};

/**
 * Opens 600 slow connections from another address, more than a server has, each again when it is ended; and has another user try
 * to get in.
 * @returns the answers to 20 tries.
 */
export async function amongSlow(
  t: ExecutionContext<unknown>,
  server: TestObjects,
  port: number,
  request: string,
): Promise<number[]> {
  const open = new Set<Socket>();
  let [isOver, opened] = [false, 0];
  const begin = (): void => {
    if (isOver) return;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    open.add(socket);
    socket.once('connect', () => (opened += 1)).on('error', () => undefined);
    socket.once('close', () => {
      open.delete(socket);
      setTimeout(begin, 300 + Math.random() * 700).unref();
    });
    socket.write(`${request}x`);
    socket.resume();
  };
  t.teardown(() => {
    isOver = true;
    for (const socket of open) socket.destroy();
  });
  for (let n = 1; n <= 600; n += 1) {
    begin();
    if (n % 50 === 0) await until(() => opened >= n);
  }
  const statuses: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const url = `http://127.0.0.1:${port}${path}`;
    const asked = fetch(url, { headers: { authorization: basic(bob), connection: 'close' } });
    statuses.push(
      await asked.then(
        ({ status }) => status,
        () => 0,
      ),
    );
    await delay(50);
  }
  t.false(
    server.logged.some((line) => line.startsWith('http.connections_full')),
    'there is room',
  );
  return statuses;
}
