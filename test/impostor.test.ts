/** Who answers at the daemon's port: clients on Node.js have it proved before they send anything of the user's. */
import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect as connectSocket, createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { connect, findDaemon } from '../client/waypoints/node/connect.ts';
import { askDaemon } from '../client/waypoints/node/index.ts';
import { newNonce } from '../client/waypoints/node/proof.ts';
import { RequestFailure } from '../client/waypoints/request-failure.ts';
import { WaypointService } from '../client/waypoints/node/waypoints.ts';
import { limits } from '../model/limits.ts';
import { fakeHandOver, fakeToken, startFakeDaemon, testCli } from './helpers/cli.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { RawConnection, rawRequest } from './helpers/raw-http.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const camp = { name: 'Secret camp', lat: 42.123_456, lon: -8.654_321 };
const sentence = /Another program answers on the daemon's port/u;
/** All that a program that cannot prove itself ever gets to see, once for each connection. */
const questions =
  /^(?:GET \/healthz\?nonce=[\w-]{63} HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\nConnection: keep-alive\r\n\r\n)+$/u;

function proof(token: string, port: number, nonce: string): string {
  const text = `waypointd 1 127.0.0.1:${port} ${nonce}`;
  return createHmac('sha256', token).update(text).digest('base64url');
}

async function listening(t: ExecutionContext, server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A server that keeps every byte it gets, and sends the same answer to each connection, or hands all on to a port. */
async function startImpostor(t: ExecutionContext, answer: string | { readonly relayTo: number }) {
  const heard: string[] = [];
  const server = createServer((socket) => {
    t.teardown(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => heard.push(bytes.toString('latin1')));
    if (typeof answer === 'string') {
      socket.once('data', () => socket.write(answer));
      return;
    }
    const onward = connectSocket(answer.relayTo, '127.0.0.1');
    t.teardown(() => onward.destroy());
    onward.on('error', () => undefined);
    socket.pipe(onward).pipe(socket);
  });
  return { port: await listening(t, server), heard: () => heard.join('') };
}

function http(body: string, status = '200 OK', headers = ''): string {
  return `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
}

function plant(root: string, port: number, changes = {}): void {
  const content = { ...fakeHandOver(port), proof: 1, ...changes };
  mkdirSync(join(root, 'run'), { recursive: true, mode: 0o700 });
  writeFileSync(join(root, 'run', 'daemon.json'), JSON.stringify(content), { mode: 0o600 });
}

const wrongProof = JSON.stringify({ status: 'ok', proof: proof('another', 1, 'nonce') });
const answers: Readonly<Record<string, string>> = {
  'no proof': http('{"status":"ok"}'),
  'a wrong proof': http(wrongProof),
  'a proof that is too short': http('{"status":"ok","proof":""}'),
  'an endless answer': http(`{"status":"ok","x":"${'x'.repeat(100_000)}"}`),
  'a refusal': http('{"code":"invalid"}', '400 Bad Request'),
  'a redirect': http('', '307 Temporary Redirect', 'Location: /api/version\r\n'),
  'no HTTP': 'SSH-2.0-OpenSSH_9.2\r\n',
};
for (const [what, answer] of Object.entries(answers)) {
  test(`connect() and a service send nothing to a program that answers with ${what}`, async (t) => {
    const root = temporaryDirectory(t);
    const { port: apiPort, heard } = await startImpostor(t, answer);
    plant(root, apiPort);
    const directories = { dataDir: join(root, 'data'), runtimeDir: join(root, 'run') };
    const service = new WaypointService({
      apiPort,
      apiToken: fakeToken,
    });
    for (const over of [connect(directories), service.addWaypoint(camp), service.getWaypoints()]) {
      const failure = await t.throwsAsync(over, { instanceOf: RequestFailure });
      t.is(failure.code, 'impostor');
      t.regex(failure.message, sentence);
    }
    t.is(await findDaemon(directories), undefined);
    t.regex(heard(), questions);
  });
}

test('a program that hands all on to the daemon cannot prove itself at its own port', async (t) => {
  const daemon = await startTestDaemon(t);
  const port = Number(new URL(daemon.url).port);
  const relay = await startImpostor(t, { relayTo: port });
  const access = { apiToken: daemon.token };
  const direct = new WaypointService({ ...access, apiPort: port });
  t.is((await direct.addWaypoint(camp)).name, camp.name);
  const relayed = new WaypointService({ ...access, apiPort: relay.port });
  const failure = await t.throwsAsync(relayed.addWaypoint(camp), { instanceOf: RequestFailure });
  t.is(failure.code, 'impostor');
  t.regex(relay.heard(), questions);
});

test('what was proved on one connection is not believed of the next', async (t) => {
  const heard: unknown[] = [];
  const server = createHttpServer((request, response) => {
    heard.push(request.headers.authorization ?? request.url?.replace(/=.*/u, ''));
    const nonce = new URL(request.url ?? '', 'http://x').searchParams.get('nonce') ?? '';
    const body = { status: 'ok', proof: proof(fakeToken, apiPort, nonce) };
    response.setHeader('connection', 'close').end(JSON.stringify(body));
  });
  const apiPort = await listening(t, server);
  const service = new WaypointService({ apiPort, apiToken: fakeToken });
  const failure = await t.throwsAsync(service.addWaypoint(camp), { instanceOf: RequestFailure });
  t.true(failure.wasRefused);
  t.deepEqual(new Set(heard), new Set(['/healthz?nonce']));
});

test('where the proved connection ends, bytes are sent over the next, and a stream is not sent once more', async (t) => {
  let [ending, heard] = [0, ''];
  const server = createHttpServer((request, response) => {
    request.on('data', (piece: Buffer) => (heard += piece.toString()));
    const nonce = new URL(request.url ?? '', 'http://x').searchParams.get('nonce');
    if (nonce !== null && (ending -= 1) >= 0) response.setHeader('connection', 'close');
    const body = { status: 'ok', proof: proof(fakeToken, port, nonce ?? '') };
    request.once('end', () => response.end(JSON.stringify(body)));
  });
  const port = await listening(t, server);
  t.teardown(() => server.closeAllConnections());
  const access = { base: `http://127.0.0.1:${port}`, token: fakeToken, proves: true };
  const send = (body: Uint8Array | Readable) => {
    [ending, heard] = [2, ''];
    return askDaemon(access, { method: 'POST', path: '/', body, signal: undefined, silenceMs: 0 });
  };
  t.is((await send(Buffer.from('a track'))).status, 200);
  t.is(heard, 'a track');
  await t.throwsAsync(send(Readable.from(['a track'])), { instanceOf: RequestFailure });
  t.is(heard, '');
});

test.serial(
  'a service that meets an impostor finds the daemon that was started anew',
  async (t) => {
    const daemon = await startTestDaemon(t, { options: { handOver: true } });
    const directories = {
      dataDir: join(daemon.root, 'data'),
      runtimeDir: join(daemon.root, 'run'),
    };
    const service = await connect(directories);
    t.true(service.apiProves);
    const impostor = await startImpostor(t, http(wrongProof));
    service.apiPort = impostor.port;
    t.is((await service.addWaypoint(camp)).name, camp.name);
    t.regex(impostor.heard(), questions);
  },
);

test('commands send nothing to a program in the place of the daemon, and exit with 75', async (t) => {
  const cli = testCli(t);
  const { port, heard } = await startImpostor(t, http(wrongProof));
  plant(cli.root, port);
  const commands = [
    ['bookmark', 'add', camp.name, String(camp.lat), String(camp.lon)],
    ['list'],
    ['import', cli.root],
  ];
  for (const words of commands) {
    const { code, stdout, stderr } = await cli.run(words);
    t.is(code, 75, words[0]);
    t.regex(stderr, sentence);
    t.is(stdout, '');
  }
  const doctor = await cli.run(['doctor']);
  t.is(doctor.code, 1);
  t.regex(doctor.stdout + doctor.stderr, sentence);
  t.regex(heard(), questions);
});

test('an older daemon, which promises no proof, is not asked for one', async (t) => {
  const cli = testCli(t);
  const { requests } = await startFakeDaemon(t, cli, { 'GET /api/waypoints': () => [] });
  await cli.out(['list']);
  t.false(requests.some(({ path }) => path === '/healthz'));
});

test('GET /healthz proves who answers for nonces of 16 to 64 base64url characters', async (t) => {
  const daemon = await startTestDaemon(t);
  const { url, token } = daemon;
  t.deepEqual((await daemon.get('/healthz')).body, { status: 'ok' });
  for (const nonce of ['a-_Z'.repeat(4), 'a-_9'.repeat(16)]) {
    const { status, body } = await daemon.get(`/healthz?nonce=${nonce}`);
    t.is(status, 200);
    t.deepEqual(body, { status: 'ok', proof: proof(token, Number(new URL(url).port), nonce) });
  }
  const fifteen = 'x'.repeat(15);
  const refused = ['', fifteen, 'x'.repeat(65), `${fifteen}.`, `${fifteen}%0A`, `${fifteen}é`];
  for (const nonce of [...refused, `${fifteen}x&nonce=${fifteen}x`]) {
    const { status, body } = await daemon.get(`/healthz?nonce=${nonce}`);
    t.is(status, 400, nonce);
    t.is(body.field, 'nonce');
  }
});

test('strangers get 200 proofs a second, the owner any number', async (t) => {
  let now = 0;
  const clock = { now: () => 0, monotonic: () => now };
  const daemon = await startTestDaemon(t, { clock });
  const port = Number(new URL(daemon.url).port);
  const ask = (nonce: string) => daemon.get(`/healthz?nonce=${nonce}`);
  const ofStranger = (): string => randomBytes(15).toString('base64url');
  for (let count = 1; count <= limits.strangersProofsPerSecond; count += 1)
    t.is((await ask(ofStranger())).status, 200, `${count}`);
  const refused = await ask(ofStranger());
  t.like({ status: refused.status, ...refused.body }, { status: 429, code: 'busy' });
  t.is(refused.headers.get('retry-after'), '1');
  t.is((await ask(newNonce(daemon.token, port))).status, 200);
  t.is((await daemon.get('/healthz')).status, 200, 'without a proof');
  now += 1_000;
  t.is((await ask(ofStranger())).status, 200);
});

test('a connection on which the owner has asked for the proof stays, however many others come', async (t) => {
  const { url, token } = await startTestDaemon(t);
  const port = Number(new URL(url).port);
  const open = async (...parts: string[]) => {
    const connection = await RawConnection.open(port, ...parts);
    t.teardown(() => connection.socket.destroy());
    return connection;
  };
  const asking = (nonce: string) => open(rawRequest(`GET /healthz?nonce=${nonce}`));
  const others = [
    await asking('x'.repeat(63)),
    await asking(newNonce(fakeToken, port)),
    await asking(newNonce(token, port + 1)),
  ];
  const owner = await asking(newNonce(token, port));
  t.is((await owner.answer())?.status, 200);
  for (let count = 0; count < limits.strangers; count += 1) await open();
  for (const other of others) await other.ended();
  owner.send(rawRequest('GET /api/version', [`Authorization: Bearer ${token}`]));
  t.is((await owner.answer())?.status, 200);
});
