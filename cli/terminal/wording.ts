import type { Waypoint } from '../../model/waypoint.ts';

/** A coordinate for reading, in degrees with at most 6 decimals (a tenth of a metre). */
export function degrees(value: number): string {
  return String(Number(value.toFixed(6)));
}

/** A count for reading, with its noun: `1,234 waypoints`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/** The calendar date (UTC) of an ISO 8601 instant. */
export function dateOf(time: string): string {
  return time.slice(0, 10);
}

/** Tags for reading, separated by commas. */
export function tagList(tags: Waypoint['tags']): string {
  return (tags ?? []).map((tag) => (typeof tag === 'string' ? tag : tag.display)).join(', ');
}

/** A duration for reading, from ms: `5 s`, `12 min`, `3 h 20 min`, `4 days`. */
export function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return counted(Math.floor(hours / 24), 'day');
}

/** A size for reading: `19.9 MB`, in millions of bytes. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
