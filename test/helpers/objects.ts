import { createHash } from 'node:crypto';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { HttpLimits } from '../../http/http-limits.ts';
import { systemClock, type Clock } from '../../model/process.ts';
import type { ObjectsConfig } from '../../objects/config.ts';
import { hashPassword } from '../../objects/passwords.ts';
import { openRoot, type ObjectsRoot, type StorePlaces } from '../../objects/root.ts';
import { startObjectServer } from '../../objects/server.ts';
import { makeCertificate } from './certificate.ts';
import { recordingLog } from './logs.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export const xLfs = 'application/vnd.x-lfs+json';
export const gitLfs = 'application/vnd.git-lfs+json';

/** Whatever a body may hold: a test reads what it expects, and fails where it is not there. */
export interface ObjectsBody {
  readonly oid: string;
  readonly size: number;
  readonly code: string;
  readonly message: string;
  readonly documentation_url: string;
  readonly transfer: string;
  readonly _links: Readonly<Record<'self' | 'download' | 'upload' | 'verify' | 'cancel', TestLink>>;
  readonly objects: readonly BatchEntry[];
}

export interface BatchEntry {
  readonly oid: string;
  readonly size: number;
  readonly actions: Readonly<
    Record<'download' | 'upload' | 'verify', TestLink & { expires_in: number }>
  >;
  readonly error?: { readonly code: number };
}

/** One answer, read whole. */
export interface ObjectsAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly type: string | null;
  readonly bytes: Buffer;
  readonly body: ObjectsBody;
}

export interface CallOptions {
  /** `name:password`; nobody by default. */
  readonly as?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface TestLink {
  readonly href: string;
  readonly header: { readonly Authorization: string };
}

/** Where the stores of a test file live; in their directories unless told otherwise. */
let newPlaces: () => Promise<StorePlaces> = async () => ({});

/** From here on each store that a test makes lives in a new place. */
export function storesLiveIn(places: () => Promise<StorePlaces>): void {
  newPlaces = places;
}

export interface TestObjectsOptions {
  /** Of a store that is there already. */
  readonly places?: StorePlaces;
  readonly directory?: string;
  readonly config?: Partial<ObjectsConfig>;
  readonly limits?: Partial<HttpLimits>;
  readonly clock?: Clock;
  readonly freeBytes?: () => Promise<number>;
  /** Then `call` and those beside it do not work: the certificate is nobody's. */
  readonly isTls?: boolean;
}

/** Closes a server. @returns `late` where what it relies on keeps it from its end. */
export function endOf(server: TestObjects): Promise<string> {
  // Four times what it may take; what it waits for in vain takes longer.
  const late = delay(12_000, 'late', { ref: false });
  return Promise.race([late, server.close().then(() => 'ended')]);
}

export const ann = 'ann:ann-password';
export const bob = 'bob:bob-password';
export const eve = 'eve:eve-password';

const passwords = new Map<string, Promise<string>>();

/** Hashing takes 50 ms, so each is made once for each test file. */
function hashed(password: string): Promise<string> {
  const made = passwords.get(password) ?? hashPassword(password);
  passwords.set(password, made);
  return made;
}

export function oidOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** No limits, git-lfs served. */
export const plainConfig: ObjectsConfig = {
  publicUrl: undefined,
  isTls: false,
  trustedProxy: undefined,
  hasBatch: true,
  maxObjectBytes: 0,
  minFreeBytes: 0,
  requestsPerMinute: 0,
  bandwidthPerDay: 0,
  documentationUrl: undefined,
};

/**
 * Starts an object server with two repositories: `club/maps`, where ann may write and bob may read, and the public
 * `open/maps`, where ann may write. eve may log in and was granted nothing.
 */
export async function startTestObjects(
  t: ExecutionContext<unknown>,
  {
    directory = join(temporaryDirectory(t), 'root'),
    config,
    limits,
    clock = systemClock,
    freeBytes,
    isTls = false,
    places: given,
  }: TestObjectsOptions = {},
) {
  const places = given ?? (await newPlaces());
  const admin = await openRoot(directory, { ...places, owner: 'command' });
  await fill(admin);
  const logged: string[] = [];
  const server = await startObjectServer({
    ...places,
    root: directory,
    config: { ...plainConfig, ...config },
    log: recordingLog(logged),
    clock,
    listen: { host: '127.0.0.1', port: 0 },
    ...(limits === undefined ? {} : { limits }),
    ...(freeBytes === undefined ? {} : { freeBytes }),
    ...(isTls ? { tls: (own) => createServer({ ...own, ...makeCertificate() }) } : {}),
  }).catch(async (error: unknown) => {
    await admin.close();
    throw error;
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= server.close(1_000).then(() => admin.close()));
  t.teardown(close);
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    port: server.port,
    directory,
    places,
    /** The store as an administrator's command opens it. */
    admin,
    logged,
    close,
    ...callsOf(url),
  };
}

export type TestObjects = Awaited<ReturnType<typeof startTestObjects>>;

async function fill({ directory }: ObjectsRoot): Promise<void> {
  if ((await directory.repositories()).length > 0) return;
  const now = Date.now();
  for (const login of [ann, bob, eve]) {
    const [name = '', password = ''] = login.split(':');
    await directory.addUser(name, await hashed(password), now);
  }
  await directory.addRepository('club', 'maps', false, now);
  await directory.addRepository('open', 'maps', true, now);
  const id = async (name: string) => (await directory.findUser(name))?.id ?? 0;
  const repository = async (path: string) => (await directory.findRepository(path))?.id ?? 0;
  await directory.grant(await id('ann'), await repository('club/maps'), 'write');
  await directory.grant(await id('bob'), await repository('club/maps'), 'read');
  await directory.grant(await id('ann'), await repository('open/maps'), 'write');
}

export function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

function callsOf(url: string) {
  const typeOf = (body: unknown) =>
    body === undefined || body instanceof Uint8Array ? {} : { 'content-type': xLfs };
  /** Calls the API; `body` is sent as JSON in the specification's type, bytes as they are. */
  const call = (method: string, path: string, { as, body, headers = {} }: CallOptions = {}) =>
    request(method, `${url}${path}`, body, {
      ...(as === undefined ? {} : { authorization: basic(as) }),
      ...typeOf(body),
      ...headers,
    });
  /** Follows a link as a client does: its headers and no others. */
  const follow = (
    method: string,
    { href, header = {} }: { href: string; header?: Readonly<Record<string, string>> },
    body?: Uint8Array | object,
  ) => request(method, href, body, { ...header, ...typeOf(body) });
  /** Announces and sends, with the links. */
  const send = async (repository: string, content: Uint8Array, as = ann) => {
    const object = { oid: oidOf(content), size: content.length };
    const announced = await call('POST', `/${repository}/objects`, { as, body: object });
    if (announced.status !== 202) return announced;
    const { upload, verify } = announced.body._links;
    const sent = await follow('PUT', upload, content);
    return sent.status === 200 ? follow('POST', verify, object) : sent;
  };
  return { call, follow, send };
}

async function request(
  method: string,
  url: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<ObjectsAnswer> {
  const isRaw = body instanceof Uint8Array || typeof body === 'string';
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: isRaw ? Buffer.from(body) : JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type');
  const isJson = type?.endsWith('json') === true && bytes.length > 0;
  return {
    status: response.status,
    headers: response.headers,
    type,
    bytes,
    // Sound enough: see ObjectsBody.
    body: (isJson ? JSON.parse(bytes.toString()) : {}) as ObjectsBody,
  };
}
