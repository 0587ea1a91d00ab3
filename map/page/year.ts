import { computed, signal } from '@preact/signals';
import { formatDate } from '../../model/calendar-date.ts';
import type { TimelinePresence, TimelineResult } from '../../model/timeline-result.ts';
import { archive } from './archive.ts';
import { tab } from './state.ts';
import { dayNumber } from './words.ts';
import { keepLoaded, type Loaded } from './loaded.ts';
import { timelineOf } from './timelines.ts';

/** A country of a year. */
export interface CountryOfYear {
  /** Empty for the sea. */
  readonly id: string;
  readonly name: string;
  readonly days: number;
  /** Of the colours in style.css; the last one is for all other countries. */
  readonly colour: number;
}

export interface YearStory {
  readonly year: number;
  /** The countries of each day, by date. */
  readonly days: ReadonlyMap<string, readonly TimelinePresence[]>;
  /** Those with most days first. */
  readonly countries: readonly CountryOfYear[];
}

/** That the user has chosen. */
export const chosenYear = signal<number>();
/** The newest one with something, until one is chosen; a clock that was wrong may have dated things later. */
export const year = computed(() => {
  const tomorrow = dayNumber(new Date().toISOString().slice(0, 10)) + 1;
  const newest = archive.value?.numbers.findLast((number) => number <= tomorrow) ?? tomorrow - 1;
  return chosenYear.value ?? Number(formatDate(newest).slice(0, 4));
});
export const yearStory = signal<Loaded<YearStory>>({ state: 'none' });

const colours = 9;

/** Keeps the story true to the chosen year, while it is shown. */
export function followYear(): void {
  keepLoaded(yearStory, () => {
    const chosen = year.value;
    if (tab.value !== 'year') return undefined;
    const before = yearStory.peek();
    if (before.state === 'ready' && before.value.year !== chosen)
      yearStory.value = { state: 'none' };
    return async (abort, tell) => {
      const result = await timelineOf(`${chosen}-01-01`, `${chosen}-12-31`, abort, tell);
      return { year: chosen, ...storyOf(result) };
    };
  });
}

function storyOf({ days, places }: TimelineResult): Omit<YearStory, 'year'> {
  const countries = places
    .filter((place) => place.level === 'country' && place.days > 0)
    .toSorted((a, b) => b.days - a.days)
    .map(({ country_id: id, country, days: number }, index) => ({
      id,
      name: country || 'At sea or unknown',
      days: number,
      colour: Math.min(index, colours - 1),
    }));
  const presence = days.map(({ date_local, presence: known }) => [date_local, known] as const);
  return { days: new Map(presence), countries };
}
