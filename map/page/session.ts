import { fetchTransport, type Transport } from '../../client/waypoints/http.ts';
import type { MapAlive, MapSession } from '../../model/map.ts';
import { sessionHeader } from '../session-header.ts';

/** In sessionStorage: of this tab alone, and gone with it; a reload keeps it. */
const storageKey = 'waypointd-session';
/** Name of the lock and the channel that the windows of one server share. */
const watchName = 'server';
const againMs = 500;
const json = { 'content-type': 'application/json' };

/**
 * Trades the code in this page's address for a session, or takes up the one of before a reload.
 * @param onLost called once the server is gone or knows the session no more.
 * @returns undefined where there is none: the command has to be run again.
 */
export async function openSession(onLost: () => void) {
  const code = location.hash.slice(1);
  // Before anything is asked, so that a code is in no history.
  if (code !== '') history.replaceState(null, '', location.pathname);
  const body = JSON.stringify({ code });
  const traded =
    code === '' ? undefined : await post<MapSession>('/session', { headers: json, body });
  const secret = traded?.secret ?? sessionStorage.getItem(storageKey);
  if (secret === null) return undefined;
  sessionStorage.setItem(storageKey, secret);
  const headers = { [sessionHeader]: secret };
  const alive = await post<MapAlive>('/alive', { headers });
  if (alive === undefined) return undefined;
  void watchServer(headers, onLost);
  const transport: Transport = (access, request, signal) =>
    fetchTransport({ ...access, headers }, request, signal);
  return {
    /** To be sent with every request to `/api/` and to `/basemap.pmtiles`. */
    headers,
    /** Whether there is a street map of the user's own, at `/basemap.pmtiles`. */
    hasBasemap: alive.basemap,
    /** For `new WaypointService({ apiBase: '', transport })`. */
    transport,
    /** For MapLibre. Whole addresses: tiles are asked for in a thread, where others mean nothing. */
    transformRequest: (url: string) => {
      const { href, origin } = new URL(url, location.href);
      return origin === location.origin ? { url: href, headers } : { url };
    },
  };
}

/** Undefined where the answer is none of success. */
async function post<T>(path: string, request: RequestInit): Promise<T | undefined> {
  const answer = await fetch(path, { ...request, method: 'POST' }).catch(() => undefined);
  // Sound: the answer is our server's.
  return answer?.ok === true ? ((await answer.json()) as T) : undefined;
}

/**
 * Calls back once the server is gone: an answer is held open that ends with it. One window does that for all: a browser
 * has six connections to a server. Nothing is asked after its end, for another program may have the port by then.
 */
async function watchServer(headers: Record<string, string>, onLost: () => void): Promise<void> {
  const windows = new BroadcastChannel(watchName);
  const told = new AbortController();
  windows.addEventListener('message', () => {
    told.abort();
    onLost();
  });
  const watch = async (): Promise<void> => {
    // A machine that slept cuts connections of a server that is still there.
    while (!(await isEnded(headers)) && (await post('/alive', { headers })) !== undefined) {
      await new Promise((next) => setTimeout(next, againMs));
    }
    windows.postMessage('ended');
    onLost();
  };
  await navigator.locks.request(watchName, { signal: told.signal }, watch).catch(() => undefined);
}

/** Waits for the end of the answer. @returns false where it was cut off, which says nothing of the server */
async function isEnded(headers: Record<string, string>): Promise<boolean> {
  try {
    const { body } = await fetch('/alive', { headers });
    await body?.pipeTo(new WritableStream());
    return true;
  } catch {
    return false;
  }
}
