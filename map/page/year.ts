import { computed, effect, signal } from '@preact/signals';
import type { Summary } from '../../client/waypoints/index.ts';
import type { TimelineResult } from '../../model/timeline-result.ts';
import { archive } from './archive.ts';
import { day, tab } from './state.ts';
import { addDays } from './words.ts';
import { keepLoaded, type Fetch, type Loaded } from './loaded.ts';
import { patiently, timelineOf } from './timelines.ts';
import { service } from './service.ts';

/** Where the days of a year were. */
export interface YearStory extends ReturnType<typeof storyOf> {
  readonly year: number;
  readonly summary: Summary;
}

/** That the user has chosen. */
export const chosenYear = signal<number>();
/** That of the chosen day, else the newest one with something, until one is chosen; a clock that was wrong may have dated things later. */
export const year = computed(() => {
  const today = new Date().toISOString().slice(0, 10);
  const newest = archive.value?.findLast((one) => one.day <= addDays(today, 1))?.day ?? today;
  return chosenYear.value ?? Number((day.value ?? newest).slice(0, 4));
});
export const yearStory = signal<Loaded<YearStory>>({ state: 'none' });

/** Number of colours in style.css; the last one is for all other countries. */
const colours = 9;

/** Keeps the story true to the chosen year, while it is shown. */
export function followYear(): void {
  effect(() => {
    if (day.value !== undefined) chosenYear.value = undefined;
  });
  const wanted = (): Fetch<YearStory> | undefined => {
    const chosen = year.value;
    if (tab.value !== 'year') return undefined;
    return async (abort, tell) => {
      const [from, to] = [`${chosen}-01-01`, `${chosen}-12-31`];
      const result = await timelineOf(from, to, abort, tell);
      const summary = await patiently(() => service.getSummary({ from, to }), abort);
      return { year: chosen, summary, ...storyOf(result) };
    };
  };
  keepLoaded(yearStory, wanted, (story) => story.year !== year.value);
}

/** The countries of each day, by date, and those with most days first. */
function storyOf({ days, places }: TimelineResult) {
  const countries = places
    .filter((place) => place.level === 'country' && place.days > 0)
    .toSorted((a, b) => b.days - a.days)
    .map(({ country_id: id, country, days: number }, index) => ({
      id,
      name: country || 'At sea or unknown',
      days: number,
      colour: Math.min(index, colours - 1),
    }));
  return { days: new Map(days.map((one) => [one.date_local, one.presence])), countries };
}
