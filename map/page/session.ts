import { fetchTransport, type Transport } from '../../client/waypoints/http.ts';
import type { MapAlive, MapSession } from '../../model/map.ts';
import { sessionHeader } from '../session-header.ts';

/** In sessionStorage: of this tab alone, and gone with it; a reload keeps it. */
const storageKey = 'waypointd-session';
/** The server ends ten minutes after it has last heard of a page. */
const aliveMs = 60_000;

/** What opens the API for this page. */
export interface PageSession {
  /** To be sent with every request to `/api/` and to `/basemap.pmtiles`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether there is a street map of the user's own, at `/basemap.pmtiles`. */
  readonly hasBasemap: boolean;
  /** For `new WaypointService({ apiBase: '', transport })`. */
  readonly transport: Transport;
  /** For MapLibre. */
  readonly transformRequest: (url: string) => { url: string; headers?: Record<string, string> };
}

/**
 * Trades the code in this page's address for a session, or takes up the one of before a reload, and says once a minute
 * that the page is there.
 * @param onLost called once the server is gone or knows the session no more.
 * @returns undefined where there is none: the command has to be run again.
 */
export async function openSession(onLost: () => void): Promise<PageSession | undefined> {
  const code = location.hash.slice(1);
  // Before anything is asked, so that a code is in no history.
  if (code !== '') history.replaceState(null, '', location.pathname);
  const secret = (code === '' ? null : await trade(code)) ?? sessionStorage.getItem(storageKey);
  if (secret === null) return undefined;
  sessionStorage.setItem(storageKey, secret);
  const headers = { [sessionHeader]: secret };
  const alive = await sayAlive(headers);
  if (alive === undefined) return undefined;
  keepAlive(headers, onLost);
  return {
    headers,
    hasBasemap: alive.basemap,
    transport: (access, request, signal) => fetchTransport({ ...access, headers }, request, signal),
    transformRequest: (url) =>
      new URL(url, location.href).origin === location.origin ? { url, headers } : { url },
  };
}

async function trade(code: string): Promise<string | null> {
  const answer = await fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  if (!answer.ok) return null;
  // Sound: the answer is our server's.
  return ((await answer.json()) as MapSession).secret;
}

async function sayAlive(headers: Record<string, string>): Promise<MapAlive | undefined> {
  const answer = await fetch('/alive', { method: 'POST', headers }).catch(() => undefined);
  return answer?.ok === true ? ((await answer.json()) as MapAlive) : undefined;
}

function keepAlive(headers: Record<string, string>, onLost: () => void): void {
  const timer = setInterval(() => void say(), aliveMs);
  // Timers of a tab in the background stand still, and those of a machine that slept.
  document.addEventListener('visibilitychange', onVisible);
  function onVisible(): void {
    if (document.visibilityState === 'visible') void say();
  }
  async function say(): Promise<void> {
    if ((await sayAlive(headers)) !== undefined) return;
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onVisible);
    onLost();
  }
}
