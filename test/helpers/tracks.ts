import type { ExecutionContext } from 'ava';
import { startTestDaemon, type TestDaemonOptions } from './daemon.ts';
import { importTree } from './imported-files.ts';
import { decodeTile } from './vector-tile.ts';

/** A point of a track or route: latitude, longitude, and perhaps a time. */
export type Fix = readonly [lat: number, lon: number, time?: string];

/** A daemon to which files of tracks are given. */
export async function served(t: ExecutionContext, options?: TestDaemonOptions) {
  const daemon = await startTestDaemon(t, options);
  /** Bytes and status of a tile, as they are. */
  const ask = (path: string, headers = {}) =>
    fetch(`${daemon.url}/api/tiles/${path}`, {
      headers: { authorization: `Bearer ${daemon.token}`, connection: 'close', ...headers },
    });
  return {
    daemon,
    ask,
    take: async (files: Readonly<Record<string, string>>) => {
      t.is((await importTree(daemon, files)).status, 200);
    },
    tile: async (path: string) => {
      const response = await ask(path);
      const bytes = new Uint8Array(await response.arrayBuffer());
      t.is(response.status, bytes.length === 0 ? 204 : 200);
      return decodeTile(bytes);
    },
  };
}

export function point([lat, lon, time]: Fix, name: 'trkpt' | 'rtept'): string {
  const timed = time === undefined ? '' : `<time>${time}</time>`;
  return `<${name} lat="${lat}" lon="${lon}">${timed}</${name}>`;
}

export function document(content: string): string {
  return `<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">${content}</gpx>`;
}

export function track(...segments: readonly (readonly Fix[])[]): string {
  const texts = segments.map((fixes) => fixes.map((fix) => point(fix, 'trkpt')).join(''));
  return document(`<trk>${texts.map((text) => `<trkseg>${text}</trkseg>`).join('')}</trk>`);
}
