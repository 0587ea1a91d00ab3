/** How somebody travelled between stops: generated journeys with a known truth, and means that these do not have. */
import test from 'ava';
import { builtinGeodata } from '../bench/timelines/builtin-geodata.ts';
import { between, metresBetween, type Position } from '../bench/timelines/geometry.ts';
import { profileNamed } from '../bench/timelines/profile.ts';
import { makeScene } from '../bench/timelines/scene.ts';
import { importFiles, parseTimeline, timelineText } from '../bench/timelines/timeline-of.ts';
import { tripSharesOf, tripsOf } from '../bench/timelines/trip-score.ts';
import type { TripMode } from '../model/timeline-result.ts';
import { rounds } from './helpers/effort.ts';
import { days, libraryOf, timelineOf, type Observed } from './helpers/timeline-library.ts';

// With one fix in many minutes modes and bends are guessed: of all, who knew the speeds of everybody would guess 85 % right.
for (const [profile, length, leastTold, leastRight, mostOff] of [
  ['5 s', 4, 0.9, 0.9, 0.05],
  ['silent while still', 4, 0.9, 0.9, 0.05],
  ['5-15 min', 20, 0.84, 0.63, 0.06],
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
