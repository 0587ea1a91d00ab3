import { computed, effect, signal } from '@preact/signals';
import type { Bbox, Waypoint } from '../../client/waypoints/index.ts';
import type { Position } from '../../model/position.ts';

/** Days `YYYY-MM-DD`, both inclusive. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

export const tabs = ['day', 'places', 'year', 'library'] as const;
export type Tab = (typeof tabs)[number];

/** Where the map is to go: a box of degrees, or a position. */
export type Target = { readonly bbox: Bbox } | (Position & { readonly zoom: number });

/** A waypoint that is being made or changed: `original` is undefined for a new one. */
export interface Draft extends Position {
  readonly original?: Waypoint | undefined;
  /** Offered for a new one. */
  readonly name?: string | undefined;
}

export const tab = signal<Tab>('day');
/** A phone, on which the panel covers the map. */
export const narrow = matchMedia('(max-width: 719px)');
export const isPanelOpen = signal(!narrow.matches);
/** Period of the tracks that are shown; all if undefined. */
export const period = signal<Period>();
/** The day whose stays and trips are shown. */
export const day = signal<string>();
/** The instant of the time slider, in ms; undefined when no day is shown. */
export const instant = signal<number>();
export const selected = signal<Waypoint>();
export const draft = signal<Draft>();
/** A search result that is not a waypoint. */
export const sought = signal<Position>();
/** Set by whatever wants the map to move; the map obeys and leaves it. */
export const target = signal<Target>();
/** View of the map. */
export const view = signal<Position & { readonly bbox: Bbox; readonly zoom: number }>();

const systemDark = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(systemDark.matches);
systemDark.addEventListener('change', ({ matches }) => (systemIsDark.value = matches));
/** The user's choice; undefined follows the system. */
export const chosenDark = signal<boolean>();
export const isDark = computed(() => chosenDark.value ?? systemIsDark.value);
effect(() => {
  document.documentElement.style.colorScheme = isDark.value ? 'dark' : 'light';
});

/** A sentence in the corner, with at most one thing to do about it. */
export interface Notice {
  readonly text: string;
  readonly isError?: boolean;
  readonly action?: { readonly label: string; readonly run: () => void };
}

export const notices = signal<readonly Notice[]>([]);
const mostNotices = 3;
const noticeMs = 12_000;

/** Shows a sentence for a while. */
export function notify(text: string, rest: Omit<Notice, 'text'> = {}): void {
  const notice = { text, ...rest };
  // The newest first: it is the one that keys reach.
  notices.value = [notice, ...notices.value].slice(0, mostNotices);
  setTimeout(() => dismiss(notice), noticeMs);
}

export function dismiss(gone: Notice): void {
  notices.value = notices.value.filter((notice) => notice !== gone);
}

export function openTab(chosen: Tab): void {
  tab.value = chosen;
  isPanelOpen.value = true;
}

/** Shows a day: its stays, trips and tracks. */
export function showDay(date: string): void {
  day.value = date;
  openTab('day');
}

/** Shows one waypoint and has the map go there. */
export function showPlace(waypoint: Waypoint, zoom?: number): void {
  draft.value = undefined;
  sought.value = undefined;
  selected.value = waypoint;
  openTab('places');
  if (zoom !== undefined) target.value = { lat: waypoint.lat, lon: waypoint.lon, zoom };
}
