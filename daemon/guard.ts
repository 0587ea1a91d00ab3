import { randomBytes, timingSafeEqual } from 'node:crypto';
import { headerValues, type Context, type Guard } from '../http/context.ts';
import { WaypointError } from '../model/failure.ts';
import type { Strangers } from '../http/strangers.ts';

export interface GuardOptions {
  /** Further Host values to accept: with a port exactly that one, without a port any. */
  readonly allowedHosts: readonly string[];
  readonly isToken: TokenCheck;
  /** Connections that have shown the token do not count. */
  readonly strangers: Strangers;
}

/** The guards of the waypoint API, in the order of contract B.1 and B.2. */
export function waypointGuards({ allowedHosts, ...options }: GuardOptions): Guard[] {
  return [hostGuard(allowedHosts), forApi([refuseBrowsers, tokenGuard(options)])];
}

/** `/api` itself counts as private too, although nothing is there. */
function forApi(guards: readonly Guard[]): Guard {
  return (ctx) => {
    const { path } = ctx;
    if (path !== '/api' && !path.startsWith('/api/')) return;
    for (const guard of guards) guard(ctx);
  };
}

/** A page whose host name was made to point at 127.0.0.1 (DNS rebinding) still sends that name as Host. */
function hostGuard(allowedHosts: readonly string[]): Guard {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  return (ctx) => {
    const [host, ...others] = headerValues(ctx, 'host');
    const port = ctx.req.socket.localPort;
    if (host === undefined || others.length > 0 || !isServed(host.toLowerCase(), port)) {
      throw new WaypointError('misdirected');
    }
  };

  function isServed(host: string, port: number | undefined): boolean {
    // The value that nearly every client sends.
    if (host === `127.0.0.1:${port}` || allowed.has(host)) return true;
    const [, name = '', given] = hostAndPort.exec(host) ?? [];
    if (allowed.has(name)) return true;
    const isOwnName = name === '127.0.0.1' || name === 'localhost';
    return isOwnName && (given === undefined || given === String(port));
  }
}

const hostAndPort = /^([^:]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/;

function refuseBrowsers(ctx: Context): void {
  const isFromPage =
    headerValues(ctx, 'origin').length > 0 ||
    headerValues(ctx, 'sec-fetch-site').some((site) => site !== 'none') ||
    // The preflight request of a browser; nothing else of ours needs this method.
    ctx.method === 'OPTIONS';
  if (isFromPage) throw new WaypointError('browser');
}

const bearer = /^bearer +(\S+) *$/i;

function tokenGuard({ isToken, strangers }: Omit<GuardOptions, 'allowedHosts'>): Guard {
  return (ctx) => {
    const [authorization, ...others] = headerValues(ctx, 'authorization');
    const candidate = bearer.exec(authorization ?? '')?.[1];
    if (candidate === undefined || others.length > 0 || !isToken(candidate)) {
      throw new WaypointError('unauthorized');
    }
    strangers.admit(ctx.req.socket);
  };
}

/** Tells whether a candidate is the token. */
export type TokenCheck = (candidate: string) => boolean;

/** Makes a bearer token: 32 random bytes in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Makes the check against one token, in constant time for all candidates of its length, which is no secret. */
export function tokenCheck(token: string): TokenCheck {
  const expected = Buffer.from(token);
  return (candidate) => {
    const given = Buffer.from(candidate);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}
