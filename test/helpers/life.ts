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
const speeds = { walk: 1.4, bike: 5, car: 14 } as const;
const drivesM = 100_000;
const startMs = Date.UTC(2023, 0, 2);
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

/** Goes from place to place, recorded all the while. */
class Traveller {
  readonly fixes: Observed[] = [];
  readonly visits = new Map<PlaceName, number>();
  readonly metres = new Map<TripMode, number>();
  at: PlaceName;
  readonly #places: Life['places'];
  readonly #random: Random;
  #nowMs: number;

  constructor(places: Life['places'], at: PlaceName, random: Random, startMs: number) {
    this.#places = places;
    this.at = at;
    this.#random = random;
    this.#nowMs = startMs;
    this.visits.set(at, 1);
  }

  stayUntil(untilMs: number): void {
    for (; this.#nowMs < untilMs; this.#nowMs += 5 * minuteMs)
      this.#note(this.#places[this.at], 12);
    this.#nowMs = untilMs;
  }

  goTo(to: PlaceName): void {
    if (to === this.at) return;
    const [from, end] = [this.#places[this.at], this.#places[to]];
    const wayM = metresBetween(from, end);
    const mode = wayM > 5_000 ? 'car' : wayM > 1_500 ? 'bike' : 'walk';
    const speed = wayM > drivesM ? 26 : speeds[mode];
    const stepMs = mode === 'car' ? 10_000 : 30_000;
    // Traffic lights, hills and works.
    const stepM = (): number => (speed * this.#random.between(0.4, 1.2) * stepMs) / 1_000;
    for (let doneM = 0; doneM < wayM; doneM += stepM()) {
      this.#note(onRoad(from, end, doneM / wayM, wayM), 8);
      this.#nowMs += stepMs;
    }
    this.metres.set(mode, (this.metres.get(mode) ?? 0) + roadM(from, end, wayM));
    this.at = to;
    this.visits.set(to, (this.visits.get(to) ?? 0) + 1);
  }

  visit(to: PlaceName, hours: number): void {
    this.goTo(to);
    this.stayUntil(this.#nowMs + hours * hourMs);
  }

  #note(place: Position, errorM: number): void {
    const [east, north] = [this.#random.bell() * errorM, this.#random.bell() * errorM];
    const { lat, lon } = moved(place, east, north);
    this.fixes.push([Math.round(this.#nowMs), lat, lon]);
  }
}

/** Makes a life of so many days that begins on a Monday, 2023-01-02, in Lübeck. */
export function lifeOf(kind: LifeKind, seed: number, days: number): Life {
  const random = new Random(seed);
  const places = placesOf(random);
  const first: PlaceName = kind === 'moved' ? 'old home' : 'home';
  const me = new Traveller(places, first, random, startMs);
  let nightsAway = 0;
  for (let day = 0; day < days; day += 1) {
    if (me.at !== 'home') nightsAway += 1;
    const clock = (hour: number): number => startMs + day * dayMs + (hour - 1) * hourMs;
    const base = kind === 'moved' && day < days / 3 ? 'old home' : 'home';
    if (isAway(kind, day)) holiday(me, random, clock);
    else usualDay(me, { kind, base, weekday: day % 7 }, random, clock);
  }
  me.stayUntil(startMs + days * dayMs + 7 * hourMs);
  const { fixes, visits, metres } = me;
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

function placesOf(random: Random): Life['places'] {
  const home = moved(town, random.bell() * 3_000, random.bell() * 3_000);
  return {
    home,
    'old home': moved(home, -2_500, -1_500),
    work: moved(home, random.between(2_000, 9_000), random.between(1_000, 4_000)),
    hall: moved(home, -random.between(900, 3_000), 700),
    shop: moved(home, 100, random.between(500, 900)),
    hotel: { lat: 51.2, lon: 9.9 + random.bell() / 10 },
    beach: { lat: 51.22, lon: 9.95 },
  };
}

function isAway(kind: LifeKind, day: number): boolean {
  if (kind === 'long holidays') return day % 90 >= 60 && day % 90 < 81;
  return day % 180 >= 100 && day % 180 < 112;
}

/** The instant of an hour of the day. */
type DayClock = (hour: number) => number;

function holiday(me: Traveller, random: Random, clock: DayClock): void {
  me.stayUntil(clock(8 + random.unit()));
  if (me.at !== 'hotel') return me.goTo('hotel');
  me.visit('beach', random.between(2, 4));
  me.goTo('hotel');
  me.stayUntil(clock(19));
  me.visit('beach', 1);
  me.goTo('hotel');
}

interface DayPlan {
  readonly kind: LifeKind;
  readonly base: PlaceName;
  /** From Monday, 0. */
  readonly weekday: number;
}

function usualDay(
  me: Traveller,
  { kind, base, weekday }: DayPlan,
  random: Random,
  clock: DayClock,
): void {
  const hasWork = weekday < 5 && kind !== 'home office';
  me.stayUntil(clock(7.5 + random.unit()));
  me.goTo(base);
  if (hasWork && kind !== 'night shifts') {
    me.visit('work', random.between(4, 4.5));
    if (random.oneIn(3)) me.visit('shop', 0.4);
    me.goTo('work');
    me.stayUntil(clock(16 + random.unit()));
    me.goTo(base);
  }
  if (weekday === 1 || weekday === 3) {
    me.stayUntil(clock(17.6));
    me.visit('hall', random.between(1.5, 2.3));
    me.goTo(base);
  }
  if (weekday === 5) {
    me.stayUntil(clock(11));
    me.visit('shop', 0.7);
    me.goTo(base);
  }
  if (kind === 'night shifts' && hasWork) {
    me.stayUntil(clock(21.5));
    me.goTo('work');
  }
}
