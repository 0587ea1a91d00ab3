/**
 * The yardstick for start-up and small requests: the least that Node.js needs for a server on loopback that checks a
 * token and answers with JSON. Plain JavaScript, so that its start has no types to strip. Writes a hand-over file like
 * the daemon's; run as `node bare-server.js DIRECTORY [koa]`, with `koa` as a Koa application.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const directory = process.argv[2] ?? '.';
const token = randomBytes(32).toString('base64url');
const authorization = `Bearer ${token}`;
const answer = { api: 1, text: 'x'.repeat(300) };
const body = Buffer.from(JSON.stringify(answer));

function answerBare(request, response) {
  if (request.headers.authorization !== authorization) {
    response.writeHead(401).end();
    return;
  }
  if (request.url.endsWith('/content')) return void transfer(request, response);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': String(body.length),
  });
  response.end(body);
}

/** Keeps what it is sent, and syncs it; sends what it keeps. */
async function transfer(request, response) {
  const file = join(directory, request.url.split('/').at(-2));
  if (request.method === 'PUT') {
    await pipeline(request, createWriteStream(file, { flush: true }));
    response.writeHead(200).end();
  } else {
    response.writeHead(200, { 'content-length': String(statSync(file).size) });
    await pipeline(createReadStream(file), response);
  }
}

async function answerWithKoa() {
  const { koaListener } = await import('./bare-koa.ts');
  return koaListener(authorization, answer);
}

const server = createServer(process.argv[3] === 'koa' ? await answerWithKoa() : answerBare);

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const file = join(directory, 'daemon.json');
  writeFileSync(`${file}.tmp`, JSON.stringify({ pid: process.pid, port, token }));
  renameSync(`${file}.tmp`, file);
});

process.once('SIGTERM', () => process.exit(0));
