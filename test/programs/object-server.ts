/**
 * An object server as a process of its own. With `fill` it has a small disk to itself, fills it and prints what was answered;
 * otherwise it prints its port and serves until it is killed, a store that lives in the places named as JSON.
 */
import { rmSync, writeFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../model/process.ts';
import { hashPassword } from '../../objects/passwords.ts';
import { openRoot } from '../../objects/root.ts';
import { startObjectServer } from '../../objects/server.ts';
import { silentLog } from '../helpers/logs.ts';
import { ann, basic, oidOf, plainConfig } from '../helpers/objects.ts';

const [directory = '', mode = '{}'] = process.argv.slice(2);

async function serve() {
  return startObjectServer({
    ...(mode === 'fill' ? {} : JSON.parse(mode)),
    root: directory,
    config: plainConfig,
    log: silentLog,
    clock: systemClock,
    listen: { host: '127.0.0.1', port: 0 },
  });
}

async function fill(): Promise<void> {
  const admin = await openRoot(directory, { owner: 'command' });
  const [name = '', password = ''] = ann.split(':');
  await admin.directory.addUser(name, await hashPassword(password), 0);
  await admin.directory.addRepository('club', 'maps', false, 0);
  await admin.directory.grant(1, 1, 'write');
  await admin.close();
  const server = await serve();
  const url = `http://127.0.0.1:${server.port}/club/maps/objects`;
  const headers = { authorization: basic(ann) };
  const put = async (content: Buffer) =>
    (await fetch(`${url}/${oidOf(content)}/content`, { method: 'PUT', headers, body: content }))
      .status;
  const [first, second] = [Buffer.alloc(1_500_000, 1), Buffer.alloc(1_500_000, 2)];
  const statuses = [await put(first)];
  const ballast = join(dirname(directory), 'ballast');
  // Room for half of it: the disk is full in the middle of the bytes.
  writeFileSync(ballast, Buffer.alloc(3_900_000));
  statuses.push(await put(second), (await announce(second)).status);
  const incoming = readdirSync(join(directory, 'incoming'));
  const read = (await fetch(`${url}/${oidOf(first)}`, { headers })).status;
  rmSync(ballast);
  const healed = await put(second);
  await server.close(0);
  console.log(JSON.stringify({ statuses, incoming, read, healed }));

  function announce(content: Buffer): Promise<Response> {
    const body = JSON.stringify({ oid: oidOf(content), size: content.length });
    const type = { 'content-type': 'application/vnd.x-lfs+json' };
    return fetch(url, { method: 'POST', headers: { ...headers, ...type }, body });
  }
}

if (mode === 'fill') await fill();
else console.log((await serve()).port);
