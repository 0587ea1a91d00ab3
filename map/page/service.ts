import { signal } from '@preact/signals';
import { RequestFailure, WaypointService } from '../../client/waypoints/index.ts';
import type { DaemonStatus } from '../../model/status.ts';
import { openSession } from './session.ts';

/** Whether this page has no session any more: the command has to be run again. */
export const isLost = signal(false);
/** Secret of this page's session; undefined if the server does not know it. */
export const session = await openSession(() => (isLost.value = true));
isLost.value = session === undefined;

/** The daemon, through the server of this page, which adds the token that the page never sees. */
export const service = new WaypointService({ apiBase: '', ...session });

/** The daemon's status; undefined until it has answered. */
export const status = signal<DaemonStatus>();
/** The sentence that tells why the daemon is not there; undefined while it is. */
export const away = signal<string>();
/** Raised whenever what is stored may be another than before. */
export const revision = signal(0);

const pollMs = 5_000;
const pollAwayMs = 1_500;

/** Keeps `status`, `away` and `revision` true until the session is lost: then another program may have the port. */
export async function watchDaemon(): Promise<void> {
  service.subscribe('requestFailure', (_, failure) => {
    if (isAway(failure)) away.value = failure.sentence;
  });
  service.subscribe('changeMade', () => refresh());
  while (!isLost.value) {
    await look();
    const wait = away.value === undefined ? pollMs : pollAwayMs;
    await new Promise((next) => setTimeout(next, wait));
    await untilVisible();
  }
}

/** Has everything that is shown asked for anew. */
export function refresh(): void {
  revision.value += 1;
  void look();
}

async function look(): Promise<void> {
  const next = await service.getStatus().catch(() => undefined);
  if (next === undefined || isLost.value) return;
  const wasAway = away.value !== undefined;
  const before = status.value;
  away.value = undefined;
  status.value = next;
  if (wasAway || (before !== undefined && print(before) !== print(next))) refresh();
}

/** Revisions in a status: others mean that the data have changed. */
function print({ library, waypoints, imported, bookmarks }: DaemonStatus): string {
  return JSON.stringify([library.state, waypoints, imported, bookmarks]);
}

/** One that only takes long may wait for the tiles of a large map. */
export function isAway({ status: code, message }: RequestFailure): boolean {
  return (code === 0 && !message.startsWith('timeout')) || code === 502 || code === 503;
}

function untilVisible(): Promise<void> {
  return new Promise((visible) => {
    if (!document.hidden) return visible();
    document.addEventListener('visibilitychange', () => visible(), { once: true });
  });
}

/** The sentence for a person that tells why something failed. */
export function sentenceOf(error: unknown): string {
  return error instanceof RequestFailure ? error.sentence : String(error);
}
