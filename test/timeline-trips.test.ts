/** How somebody travelled between stops: generated journeys with a known truth, and means that these do not have. */
import test, { type ExecutionContext } from 'ava';
import { builtinGeodata } from '../bench/timelines/builtin-geodata.ts';
import { between, metresBetween, type Position } from '../bench/timelines/geometry.ts';
import { profileNamed } from '../bench/timelines/profile.ts';
import { makeScene } from '../bench/timelines/scene.ts';
import { importFiles, parseTimeline, timelineText } from '../bench/timelines/timeline-of.ts';
import { tripSharesOf, tripsOf } from '../bench/timelines/trip-score.ts';
import type { TimelineTrip, TripMode } from '../model/timeline-result.ts';
import { rounds } from './helpers/effort.ts';
import { valuesOf } from './helpers/fields.ts';
import { days, libraryOf, timelineOf, type Observed } from './helpers/timeline-library.ts';

// With one fix in many minutes modes and bends are guessed: of all, who knew the speeds of everybody would guess 85 % right.
for (const [profile, length, leastTold, leastRight, mostOff] of [
  ['5 s', 4, 0.9, 0.9, 0.05],
  ['silent while still', 4, 0.9, 0.9, 0.05],
  ['5-15 min', 20, 0.84, 0.62, 0.06],
  ['5-15 min, elsewhere', 20, 0.87, 0.68, 0.08],
] as const) {
  test(`recorded ${profile}, modes that are told are right, all flights, and the distances of trips`, (t) => {
    const trips = Array.from({ length: rounds(2, 2) }, (_, i) => {
      const scene = makeScene(profileNamed(profile), 541 + i, length);
      const library = importFiles(scene.files);
      t.teardown(() => library.remove());
      const result = parseTimeline(timelineText(library.path, scene, builtinGeodata()));
      for (const { from_stop, to_stop } of result.trips) t.true(from_stop < to_stop);
      return tripsOf(result, scene.truth);
    }).flat();
    const { right, unknown, flights, distance } = tripSharesOf(trips);
    t.true(right >= leastTold, `${right} right of those told`);
    t.true(right * (1 - unknown) >= leastRight, `${right} right, ${unknown} unknown`);
    t.is(flights, 1);
    t.true(distance <= mostOff, `${distance}`);
    const said = trips.reduce((sum, { trip }) => sum + trip.distance_m, 0);
    const true_ = trips.reduce((sum, { metres }) => sum + metres, 0);
    t.true(Math.abs(said / true_ - 1) <= 0.05, `${said} m for ${true_} m`);
  });
}

const startMs = Date.UTC(2024, 4, 1, 8);
const oneDay = days('2024-05-01');

/** An hour at one place, straight on, an hour at the other. */
function journey(from: Position, to: Position, speed: number, everyS: number): Observed[] {
  const metres = metresBetween(from, to);
  const stay = (place: Position, atMs: number): Observed[] =>
    Array.from({ length: 61 }, (_, i) => [atMs + i * 60_000, place.lat, place.lon]);
  const leftMs = startMs + 3_600_000;
  const way: Observed[] = [];
  for (let s = everyS; s * speed < metres; s += everyS) {
    const { lat, lon } = between(from, to, (s * speed) / metres);
    way.push([leftMs + s * 1_000, lat, lon]);
  }
  const arrivedMs = leftMs + Math.ceil(metres / speed) * 1_000 + 10_000;
  return [...stay(from, startMs), ...way, ...stay(to, arrivedMs)];
}

const berlin = { lat: 52.52, lon: 13.405 };
const potsdam = { lat: 52.4, lon: 13.06 };
const paris = { lat: 48.8566, lon: 2.3522 };
const lyon = { lat: 45.764, lon: 4.8357 };
const lille = { lat: 50.6292, lon: 3.0573 };
const madrid = { lat: 40.4168, lon: -3.7038 };
const ship = [
  { lat: 46, lon: -12 },
  { lat: 45, lon: -16 },
] as const;

const scenes: [
  what: string,
  mode: TripMode,
  from: Position,
  to: Position,
  speed: number,
  s: number,
][] = [
  ['a run', 'run', berlin, { lat: 52.6, lon: 13.405 }, 3.1, 5],
  ['a ride on a bicycle', 'bike', berlin, potsdam, 5.5, 5],
  ['a fast train', 'train', paris, lyon, 75, 10],
  ['a fast train that is only a gap', 'train', paris, lille, 75, 100_000],
  ['a ship', 'boat', ship[0], ship[1], 9, 60],
  ['a flight', 'flight', paris, madrid, 220, 10],
  ['a flight with a fix in ten minutes', 'flight', paris, madrid, 220, 600],
  ['a flight that is only a gap', 'flight', paris, madrid, 170, 100_000],
];
for (const [what, mode, from, to, speed, everyS] of scenes) {
  test(`${what} is one, and as long as it is`, (t) => {
    const library = libraryOf(t, [
      { path: 'a.gpx', trackPoints: journey(from, to, speed, everyS) },
    ]);
    const { result } = timelineOf(t, library, days('2024-05-01', '2024-05-03'));
    const [trip, ...others] = result.trips;
    t.like(trip, { index: 0, mode, start_utc: result.timeline[0]!.last_observation_utc });
    t.deepEqual(others, []);
    t.true(Math.abs(trip!.distance_m / metresBetween(from, to) - 1) < 0.02);
    t.is(result.timeline[trip!.from_stop]?.kind, 'stay');
    t.is(result.timeline[trip!.to_stop]?.kind, 'stay');
  });
}

test('who walks to a train and is not seen in it has not walked all the way', (t) => {
  const west = { lat: berlin.lat, lon: 13.2 };
  const all = journey(berlin, west, 1.4, 5);
  const walked = startMs + 3_840_000;
  const ridden = all.at(-61)![0] - walked - 1_500_000;
  const trackPoints = all.flatMap(([ms, ...place]): Observed[] => {
    if (ms <= walked) return [[ms, ...place]];
    return ms - ridden > walked + 1_400_000 ? [[ms - ridden, ...place]] : [];
  });
  const library = libraryOf(t, [{ path: 'a.gpx', trackPoints }]);
  const { result } = timelineOf(t, library, days('2024-05-01'));
  t.like(result.trips[0], { mode: 'car', mode_confidence: 0.4 });
});

test('a way that nothing is known of has no mode', (t) => {
  const trackPoints = journey(berlin, potsdam, 2, 100_000);
  const { result } = timelineOf(
    t,
    libraryOf(t, [{ path: 'a.gpx', trackPoints }]),
    days('2024-05-01'),
  );
  t.like(result.trips[0], { mode: 'unknown', mode_confidence: 0, recorded_observations: 0 });
});

/** Fixes every 10 s along straight parts, each so long at so many m/s to the north. */
function gone(parts: readonly (readonly [speed: number, minutes: number])[]): Observed[] {
  const fixes: Observed[] = [];
  let [timeMs, metres] = [startMs, 0];
  for (const [speed, minutes] of [[0, 60], ...parts, [0, 60]] as const) {
    for (let i = 0; i < minutes * 6; i += 1) {
      timeMs += 10_000;
      metres += speed * 10;
      fixes.push([timeMs, berlin.lat + metres / 111_195, berlin.lon]);
    }
  }
  return fixes;
}

function onlyTrip(t: ExecutionContext, trackPoints: readonly Observed[]): TimelineTrip {
  const { result } = timelineOf(t, libraryOf(t, [{ path: 'a.gpx', trackPoints }]), oneDay);
  t.is(result.trips.length, 1);
  return result.trips[0]!;
}

const minutesIn = (time: string): number => (Date.parse(time) - startMs) / 60_000;

test('a drive, a walk of four hours and the drive back are three legs, and the trip is a drive', (t) => {
  const trip = onlyTrip(
    t,
    gone([
      [15, 40],
      [1.3, 240],
      [-15, 40],
    ]),
  );
  t.deepEqual(valuesOf(trip.legs, 'mode'), ['car', 'walk', 'car']);
  t.is(trip.mode, 'car');
  const starts = trip.legs.map(({ start_utc }) => minutesIn(start_utc));
  for (const [at, minute] of [60, 100, 340].entries()) t.true(Math.abs(starts[at]! - minute) <= 2);
  t.is(trip.legs[0]!.start_utc, trip.start_utc);
  t.is(trip.legs[2]!.end_utc, trip.end_utc);
  t.is(trip.legs[1]!.start_utc, trip.legs[0]!.end_utc);
  const metres = trip.legs.map(({ distance_m }) => distance_m);
  t.true(Math.abs(metres.reduce((sum, part) => sum + part) - trip.distance_m) <= 2);
  t.is(trip.recorded_seconds, trip.duration_seconds);
});

test('a leg lasts ten minutes and leads 500 m, a slow one in traffic a quarter of an hour', (t) => {
  const modes = (...parts: Parameters<typeof gone>[0]): string =>
    onlyTrip(t, gone(parts))
      .legs.map(({ mode }) => mode)
      .join();
  t.is(modes([15, 40], [1.3, 11]), 'car,walk');
  t.is(modes([15, 40], [1.3, 8]), 'car');
  t.is(modes([1.3, 40], [15, 11]), 'walk,car');
  t.is(modes([15, 40], [0.7, 11]), 'car');
  t.is(modes([15, 40], [1.3, 13], [15, 40]), 'car');
  t.is(modes([15, 40], [1.3, 17], [15, 40]), 'car,walk,car');
  t.is(modes([15, 40], [0, 4], [15, 40]), 'car');
});

test('a trip that slow silences hide for an hour, or for over half of it, has no mode', (t) => {
  const hidden = (minutes: number, metres: number, driven = 80): TimelineTrip => {
    const away = gone([
      [15, driven / 2],
      [metres / minutes / 60, minutes],
      [15, driven / 2],
    ]);
    const [from, to] = [60 + driven / 2, 60 + driven / 2 + minutes];
    return onlyTrip(
      t,
      away.filter(([ms]) => ms <= startMs + from * 60_000 || ms > startMs + to * 60_000),
    );
  };
  t.like(hidden(59, 5_000), { mode: 'car' });
  const trip = hidden(61, 5_000);
  t.like(trip, { mode: 'unknown', mode_confidence: 0 });
  t.true(Math.abs(trip.recorded_seconds - 80 * 60) <= 20);
  t.true(Math.abs(trip.duration_seconds - 141 * 60) <= 20);
  t.like(hidden(30, 5_000, 28), { mode: 'unknown' });
  t.like(hidden(30, 5_000, 32), { mode: 'car' });
  t.like(hidden(18, 5_000, 16), { mode: 'car' }, 'less than 20 minutes hide nothing');
  t.like(hidden(90, 100_000), { mode: 'car' }, 'as fast as a car');
});
