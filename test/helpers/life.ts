import { between, metresBetween, moved, type Position } from '../../bench/timelines/geometry.ts';
import { Random } from '../../bench/random.ts';
import type { TripMode } from '../../model/timeline-result.ts';
import { hourMs, minuteMs } from './fixes.ts';
import type { Observed } from './timeline-library.ts';

/** What is particular about a life. */
export const lives = ['office', 'home office', 'night shifts', 'moved', 'long holidays'] as const;
export type LifeKind = (typeof lives)[number];

type PlaceName = 'home' | 'old home' | 'work' | 'hall' | 'shop' | 'hotel' | 'beach';

/** What a life was, to be compared with what is found. */
export interface Life {
  readonly fixes: readonly Observed[];
  readonly places: Readonly<Record<PlaceName, Position>>;
  readonly visits: ReadonlyMap<PlaceName, number>;
  readonly metres: ReadonlyMap<TripMode, number>;
  readonly nightsAway: number;
  /** Undefined where none has to be found. */
  readonly home: PlaceName | undefined;
  readonly work: PlaceName | undefined;
}

const dayMs = 24 * hourMs;
/** m/s */
const speeds = { walk: 1.4, bike: 4.5, car: 14 } as const;
const drivesM = 100_000;
const town = { lat: 53.866, lon: 10.687 };

/** Roads wind: so far to either side, metres, in each kilometre. */
const windingM = 40;

function onRoad(from: Position, to: Position, fraction: number, wayM: number): Position {
  const bends = Math.max(1, Math.round(wayM / 500));
  const aside = windingM * Math.sin(Math.PI * fraction * bends);
  const east = (to.lon - from.lon) * Math.cos((to.lat * Math.PI) / 180);
  const north = to.lat - from.lat;
  const length = Math.hypot(east, north);
  return moved(between(from, to, fraction), (aside * -north) / length, (aside * east) / length);
}

function roadM(from: Position, to: Position, wayM: number): number {
  const steps = Math.ceil(wayM / 20);
  let metres = 0;
  for (let step = 0; step < steps; step += 1) {
    const [a, b] = [step, step + 1].map((at) => onRoad(from, to, at / steps, wayM));
    metres += metresBetween(a!, b!);
  }
  return metres;
}

/** Makes a life of so many days that begins on a Monday, 2023-01-02, in Lübeck. */
export function lifeOf(kind: LifeKind, seed: number, days: number): Life {
  const random = new Random(seed);
  const around = (metres: number): Position =>
    moved(town, random.bell() * metres, random.bell() * metres);
  const home = around(3_000);
  const places: Record<PlaceName, Position> = {
    home,
    'old home': moved(home, 2_500, 1_500),
    work: moved(home, random.between(2_000, 9_000), random.between(1_000, 4_000)),
    hall: moved(home, -random.between(900, 3_000), 700),
    shop: moved(home, 100, random.between(500, 900)),
    hotel: { lat: 51.2, lon: 9.9 + random.bell() / 10 },
    beach: { lat: 51.22, lon: 9.95 },
  };
  const fixes: Observed[] = [];
  const visits = new Map<PlaceName, number>();
  const metres = new Map<TripMode, number>();
  let nowMs = Date.UTC(2023, 0, 2);
  const me: { at: PlaceName } = { at: kind === 'moved' ? 'old home' : 'home' };
  let nightsAway = 0;
  const note = ({ lat, lon }: Position, errorM: number): void => {
    const { lat: seenLat, lon: seenLon } = moved(
      { lat, lon },
      random.bell() * errorM,
      random.bell() * errorM,
    );
    fixes.push([Math.round(nowMs), seenLat, seenLon]);
  };
  const stayUntil = (untilMs: number): void => {
    for (; nowMs < untilMs; nowMs += 5 * minuteMs) note(places[me.at], 12);
    nowMs = untilMs;
  };
  const goTo = (to: PlaceName): void => {
    const wayM = metresBetween(places[me.at], places[to]);
    const mode = wayM > 5_000 ? 'car' : wayM > 1_500 ? 'bike' : 'walk';
    const speed = wayM > drivesM ? 26 : speeds[mode];
    const from = places[me.at];
    const stepMs = mode === 'car' ? 10_000 : 30_000;
    // Traffic lights, hills and works.
    for (
      let doneM = 0;
      doneM < wayM;
      doneM += (speed * random.between(0.4, 1.2) * stepMs) / 1_000
    ) {
      note(onRoad(from, places[to], doneM / wayM, wayM), 8);
      nowMs += stepMs;
    }
    metres.set(mode, (metres.get(mode) ?? 0) + roadM(from, places[to], wayM));
    me.at = to;
    visits.set(to, (visits.get(to) ?? 0) + 1);
  };
  const visit = (to: PlaceName, hours: number): void => {
    goTo(to);
    stayUntil(nowMs + hours * hourMs);
  };
  visits.set(me.at, 1);
  const isAway = (day: number): boolean =>
    kind === 'long holidays'
      ? day % 90 >= 60 && day % 90 < 81
      : day % 180 >= 100 && day % 180 < 112;
  for (let day = 0; day < days; day += 1) {
    const midnightMs = Date.UTC(2023, 0, 2) + day * dayMs - hourMs;
    const clock = (hour: number): number => midnightMs + hour * hourMs;
    const base = kind === 'moved' && day < days / 3 ? 'old home' : 'home';
    const isWeekday = day % 7 < 5;
    if (me.at !== 'home') nightsAway += 1;
    const hasWork = kind === 'home office' ? false : isWeekday;
    if (isAway(day)) {
      stayUntil(clock(8 + random.unit()));
      if (me.at !== 'hotel') goTo('hotel');
      else {
        visit('beach', random.between(2, 4));
        goTo('hotel');
        stayUntil(clock(19));
        visit('beach', 1);
        goTo('hotel');
      }
    } else {
      stayUntil(clock(7.5 + random.unit()));
      if (me.at === 'hotel' || (me.at !== base && me.at !== 'work')) goTo(base);
      if (hasWork && kind !== 'night shifts') {
        visit('work', random.between(4, 4.5));
        if (random.oneIn(3)) visit('shop', 0.4);
        if (me.at !== 'work') goTo('work');
        stayUntil(clock(16 + random.unit()));
        goTo(base);
      }
      if (kind === 'night shifts' && me.at === 'work') goTo(base);
      if (isWeekday && day % 2 === 1) {
        stayUntil(clock(17.6));
        visit('hall', random.between(1.5, 2.3));
        goTo(base);
      }
      if (day % 7 === 5) {
        stayUntil(clock(11));
        visit('shop', 0.7);
        goTo(base);
      }
      if (kind === 'night shifts' && hasWork) {
        stayUntil(clock(21.5));
        goTo('work');
      }
    }
  }
  stayUntil(nowMs + 8 * hourMs);
  // Who works at night sleeps by day: neither place is told.
  const isNights = kind === 'night shifts';
  return {
    fixes,
    places,
    visits,
    metres,
    nightsAway,
    home: isNights ? undefined : 'home',
    work: isNights || kind === 'home office' ? undefined : 'work',
  };
}
