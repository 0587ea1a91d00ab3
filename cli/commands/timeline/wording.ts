import type { TimelineStop } from '../../../model/timeline-result.ts';

/** The length of a stay, for reading: `40 s`, `12 min`, `4 h 12 min`, `3 d 4 h`. */
export function stayTime(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, 'h', minutes % 60, 'min');
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** A distance for reading, in km: `0.4`, `72`, `1,284`. */
export function kilometres(metres: number): string {
  const km = metres / 1_000;
  return (km < 10 ? Number(km.toFixed(1)) : Math.round(km)).toLocaleString('en-US');
}

/** An instant for reading, to the minute: `2024-05-04 09:10`. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)}`;
}

type Names = Pick<TimelineStop, 'country' | 'region' | 'locality'>;

/** Where something is, from small to large: `Viana do Castelo, Norte, Portugal`; equal neighbours are said once. */
export function placeOf({ locality, region, country }: Names): string {
  const names = [locality, region, country].filter((name) => name !== '');
  return names.filter((name, at) => name !== names[at - 1]).join(', ');
}
