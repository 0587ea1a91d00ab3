/** The object server with readers so slow that only real time shows them: minutes, of almost no work. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { rounds } from '../helpers/effort.ts';
import { basic, bob, oidOf, startTestObjects } from '../helpers/objects.ts';
import { RawConnection, rawRequest } from '../helpers/raw-http.ts';

// 64 KiB every 13 s: 40 s of it, with TEST_EFFORT=1 400 s. What comes then would be cut off by a server that was impatient.
test('a reader of 5 KB a second gets all of an object', async (t) => {
  t.timeout(900_000);
  const server = await startTestObjects(t);
  const content = randomBytes(24_000_000);
  await server.send('club/maps', content);
  const path = `/club/maps/objects/${oidOf(content)}/content`;
  const connection = await RawConnection.open(server.port);
  connection.socket.pause();
  connection.send(rawRequest(`GET ${path}`, [`Authorization: ${basic(bob)}`]));
  for (let n = 0; n < rounds(30); n += 1) {
    await delay(13_000);
    connection.socket.resume();
    await once(connection.socket, 'data');
    connection.socket.pause();
  }
  connection.socket.resume();
  const answer = await connection.answer();
  t.deepEqual([answer?.status, answer?.isWhole], [200, true]);
});
