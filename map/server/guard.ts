import { headerValues, type Context, type Guard } from '../../http/context.ts';
import type { Strangers } from '../../http/strangers.ts';
import { WaypointError } from '../../model/failure.ts';
import { sessionHeader } from '../session-header.ts';
import type { Sessions } from './sessions.ts';

export interface MapGuardOptions {
  /** Paths of files that hold nothing of the user: the page and what it loads. */
  readonly isPublic: (path: string) => boolean;
  /** Where a code is traded for a secret. */
  readonly sessionPath: string;
  readonly sessions: Sessions;
  /** Connections that have shown a secret do not count. */
  readonly strangers: Strangers;
}

/**
 * Who may ask for what. A page elsewhere may lead its visitor here, and read or write nothing; without the secret of a
 * session there are only the files of the page.
 */
export function mapGuards(options: MapGuardOptions): Guard[] {
  const { isPublic, sessionPath, sessions, strangers } = options;
  return [
    refuseForeign,
    (ctx) => {
      if (isPublic(ctx.path)) return;
      if (headerValues(ctx, 'sec-fetch-site').join() !== 'same-origin') {
        throw new WaypointError('forbidden');
      }
      if (ctx.path === sessionPath) return;
      const [secret, ...others] = headerValues(ctx, sessionHeader);
      if (secret === undefined || others.length > 0 || !sessions.isOpen(secret)) {
        throw new WaypointError('no_session');
      }
      strangers.admit(ctx.req.socket);
    },
  ];
}

/** A page whose host name was made to point at 127.0.0.1 (DNS rebinding) still sends that name as Host. */
function refuseForeign(ctx: Context): void {
  const host = `127.0.0.1:${ctx.req.socket.localPort}`;
  if (headerValues(ctx, 'host').join() !== host) throw new WaypointError('misdirected');
  if (headerValues(ctx, 'origin').some((origin) => origin !== `http://${host}`)) {
    throw new WaypointError('forbidden');
  }
}
