/** Which days and nights belong to which country: the scenes that went wrong once, and what holds for every journey. */
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { between, metresBetween, moved, type Position } from '../bench/timelines/geometry.ts';
import type { TimelinePlace, TimelineResult } from '../model/timeline-result.ts';
import { Random } from '../bench/random.ts';
import { rounds, seeds } from './helpers/effort.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { at, dayMs, hourMs, minuteMs, way } from './helpers/fixes.ts';
import { days, libraryOf, timelineOf, type Observed } from './helpers/timeline-library.ts';

interface Town extends Position {
  readonly country: string;
  readonly zone: string;
}

const kassel: Town = { lat: 51.3127, lon: 9.4797, country: 'DE', zone: 'Europe/Berlin' };
const munich: Town = { lat: 48.1374, lon: 11.5755, country: 'DE', zone: 'Europe/Berlin' };
const lyon: Town = { lat: 45.764, lon: 4.8357, country: 'FR', zone: 'Europe/Paris' };
const auckland: Town = { lat: -36.8485, lon: 174.7633, country: 'NZ', zone: 'Pacific/Auckland' };
const sydney: Town = { lat: -33.8688, lon: 151.2093, country: 'AU', zone: 'Australia/Sydney' };
const toronto: Town = { lat: 43.6532, lon: -79.3832, country: 'CA', zone: 'America/Toronto' };
const mexico: Town = { lat: 19.4326, lon: -99.1332, country: 'MX', zone: 'America/Mexico_City' };
const bangkok: Town = { lat: 13.7563, lon: 100.5018, country: 'TH', zone: 'Asia/Bangkok' };
const honolulu: Town = { lat: 21.4513, lon: -158.0153, country: 'US', zone: 'Pacific/Honolulu' };
const tokyo: Town = { lat: 35.6762, lon: 139.6503, country: 'JP', zone: 'Asia/Tokyo' };

function made(
  t: ExecutionContext,
  trackPoints: readonly Observed[],
  start: string,
  end: string,
  timeZone = 'UTC',
): TimelineResult {
  const library = libraryOf(t, [{ path: 'a.gpx', trackPoints }]);
  return timelineOf(t, library, { ...days(start, end), timeZone }).result;
}

function country({ places }: TimelineResult, id: string): TimelinePlace | undefined {
  return places.find(({ level, country_id }) => level === 'country' && country_id === id);
}

/** All that can be counted twice is counted alike. */
function faultsOf(result: TimelineResult, nights: number): string[] {
  const { unknown_nights, transit_nights } = result.summary;
  const rows = result.places.filter(({ level }) => level === 'country');
  const faults = rows.flatMap((row) => {
    const of = (kind: string): number =>
      result.days.filter(({ presence }) =>
        presence.some((each) => each.country_id === row.country_id && each.kind === kind),
      ).length;
    const said = [row.recorded_days, row.days_inferred, row.days];
    const listed = [of('recorded'), of('inferred'), of('recorded') + of('inferred')];
    return said.join() === listed.join()
      ? []
      : [`${row.country_id}: ${said.join()} for ${listed.join()}`];
  });
  const total = rows.reduce((sum, row) => sum + row.nights, unknown_nights + transit_nights);
  if (total !== nights) faults.push(`${total} nights of ${nights}`);
  return faults;
}

test('a phone that is off at night and on again elsewhere in the city was there', (t) => {
  const fixes = Array.from({ length: 6 }, (_, i) => {
    const place = moved(kassel, 2_000 * (i % 2), 0);
    const day = Date.UTC(2024, 4, 1 + i);
    return at(place, day + 7 * hourMs, day + 22 * hourMs);
  }).flat();
  const result = made(t, fixes, '2024-05-01', '2024-05-06');
  t.like(country(result, 'DE'), { days: 6, nights: 5, days_inferred: 0, nights_inferred: 0 });
  t.deepEqual(faultsOf(result, 5), []);
});

for (const [name, place] of Object.entries({
  'the same hotel': lyon,
  'another one': moved(lyon, 900, 0),
})) {
  test(`after 70 hours without a fix in ${name}, the days and nights between are inferred`, (t) => {
    const fixes = [
      ...at(lyon, '2024-05-02T08:00Z', '2024-05-03T18:00Z'),
      ...at(place, '2024-05-06T16:00Z', '2024-05-07T12:00Z'),
    ];
    const result = made(t, fixes, '2024-05-01', '2024-05-31');
    t.like(country(result, 'FR'), { days: 6, days_inferred: 2, nights: 5, nights_inferred: 3 });
    t.deepEqual(faultsOf(result, 5), []);
    const dates = result.days.map(({ date_utc }) => date_utc.slice(-2));
    t.deepEqual(dates, ['02', '03', '04', '05', '06', '07']);
    t.like(result.summary, { unknown_days: 0, unknown_nights: 0, active_days: 4 });
    // Asked for alone, a day without a fix is the same.
    const alone = made(t, fixes, '2024-05-04', '2024-05-04');
    t.deepEqual(valuesOf(alone.days, 'presence'), [[{ country_id: 'FR', kind: 'inferred' }]]);
    t.like(country(alone, 'FR'), { days: 1, days_inferred: 1, nights: 1, nights_inferred: 1 });
  });
}

test('after more than 72 hours, or where the ends disagree, what was between is unknown', (t) => {
  const before = at(lyon, '2024-05-02T08:00Z', '2024-05-03T18:00Z');
  const later = made(
    t,
    [...before, ...at(lyon, '2024-05-06T18:10Z', '2024-05-07T12:00Z')],
    '2024-05-01',
    '2024-05-31',
  );
  t.like(later.summary, { unknown_days: 2, unknown_nights: 3, transit_nights: 0 });
  t.deepEqual(faultsOf(later, 5), []);
  const elsewhere = made(
    t,
    [...before, ...at(kassel, '2024-05-06T08:00Z', '2024-05-06T12:00Z')],
    '2024-05-01',
    '2024-05-31',
  );
  t.like(elsewhere.summary, { unknown_days: 2, unknown_nights: 3, transit_nights: 0 });
  t.deepEqual(faultsOf(elsewhere, 4), []);
});

test('a logger that sleeps at home from Friday to Monday has been there all the time', (t) => {
  const fixes = [
    ...way(munich, kassel, Date.UTC(2024, 4, 3, 14), Date.UTC(2024, 4, 3, 19), 1),
    ...at(kassel, '2024-05-03T19:00Z', '2024-05-03T19:04Z', 1),
    ...at(moved(kassel, 60, 0), '2024-05-06T08:00Z', '2024-05-06T08:01Z', 1),
    ...way(moved(kassel, 100, 0), munich, Date.UTC(2024, 4, 6, 8, 1), Date.UTC(2024, 4, 6, 12), 1),
  ];
  const result = made(t, fixes, '2024-05-01', '2024-05-31');
  t.like(country(result, 'DE'), { days: 4, nights: 3, days_inferred: 2 });
  t.deepEqual(
    result.days.map(({ presence }) => presence[0]?.kind),
    ['recorded', 'inferred', 'inferred', 'recorded'],
  );
  const saturday = made(t, fixes, '2024-05-04', '2024-05-04');
  t.is(country(saturday, 'DE')?.days, 1);
});

test('a night in a train is one of the country that it stays in, or of none where it leaves it', (t) => {
  const [from, to] = [Date.UTC(2024, 4, 3, 21), Date.UTC(2024, 4, 4, 6)];
  const inside = [
    ...at(kassel, '2024-05-03T08:00Z', from),
    ...way(kassel, munich, from, to, 1),
    ...at(munich, to, '2024-05-05T12:00Z'),
  ];
  t.like(country(made(t, inside, '2024-05-01', '2024-05-31'), 'DE'), { nights: 2, days: 3 });
  const silent = [...at(kassel, '2024-05-03T08:00Z', from), ...at(lyon, to, '2024-05-04T12:00Z')];
  const result = made(t, silent, '2024-05-01', '2024-05-31');
  t.is(result.summary.transit_nights, 1);
  t.deepEqual(faultsOf(result, 1), []);
  t.deepEqual(valuesOf(result.days, 'countries'), [['DE'], ['FR']]);
});

for (const [what, everyMin, minutes] of [
  ['some minutes', 1, 20],
  ['a single fix', 2, 1],
  ['two towers in turn', 2, 50],
] as const) {
  test(`a tower beyond the border, ${what}, makes no day and no stop there`, (t) => {
    const [home, tower, other] = [
      { lat: 47.6146, lon: 7.6615 },
      { lat: 47.48, lon: 7.73 },
      { lat: 47.62, lon: 7.3 },
    ];
    const [from, to] = [Date.UTC(2024, 4, 3, 14), Date.UTC(2024, 4, 3, 14, minutes)];
    const fixes = at(home, '2024-05-02T08:00Z', '2024-05-04T20:00Z', everyMin).map(
      (fix): Observed => {
        const [timeMs] = fix;
        if (timeMs < from || timeMs >= to) return fix;
        const isOther = minutes > 30 && Math.floor((timeMs - from) / (7 * minuteMs)) % 2 === 1;
        const { lat, lon } = isOther ? other : tower;
        return [timeMs, lat, lon];
      },
    );
    const { timeline, days: rows } = made(t, fixes, '2024-05-01', '2024-05-31');
    t.deepEqual(valuesOf(rows, 'countries'), [['DE'], ['DE'], ['DE']]);
    t.is(timeline.length, 1);
  });
}

test('a motorway out and back within the hour is believed, with the rest between', (t) => {
  const home = { lat: 47.6146, lon: 7.6615 };
  const shop = { lat: 47.3, lon: 7.95 };
  const entry = between(home, shop, 0.05);
  const minute = (count: number): number => Date.UTC(2024, 4, 3, 14, count);
  const fixes = [
    ...at(home, '2024-05-03T08:00Z', minute(-4), 2),
    ...way(home, entry, minute(-4), minute(0), 2),
    ...way(entry, shop, minute(0), minute(18), 2),
    ...at(shop, minute(18), minute(30), 2),
    ...way(shop, entry, minute(30), minute(48), 2),
    ...way(entry, home, minute(48), minute(52), 2),
    ...at(home, minute(52), '2024-05-03T20:00Z', 2),
  ];
  const { days: rows } = made(t, fixes, '2024-05-03', '2024-05-03');
  t.deepEqual(rows[0]!.countries, ['CH', 'DE']);
});

test('a border day is one of both countries', (t) => {
  const fixes = [
    ...at(kassel, '2024-05-03T08:00Z', '2024-05-03T12:00Z'),
    ...way(kassel, lyon, Date.UTC(2024, 4, 3, 12), Date.UTC(2024, 4, 3, 20), 1),
    ...at(lyon, '2024-05-03T20:00Z', '2024-05-03T22:00Z'),
  ];
  const { places, days: rows } = made(t, fixes, '2024-05-03', '2024-05-03');
  const countries = places.filter(({ level }) => level === 'country');
  t.true(countries.length >= 2 && countries.every((row) => row.days === 1));
  t.deepEqual(rows[0]!.countries, countries.map(({ country_id }) => country_id).toSorted());
});

for (const everyMin of [1, 8]) {
  test(`what a flight crosses has no day of it, with a fix every ${everyMin} min`, (t) => {
    const takeOff = Date.UTC(2024, 4, 3, 20);
    const landing = takeOff + (metresBetween(kassel, bangkok) / 240) * 1_000;
    const fixes = [
      ...at(kassel, '2024-05-03T08:00Z', takeOff, 1),
      ...way(kassel, bangkok, takeOff, landing, everyMin),
      ...at(bangkok, landing + minuteMs, landing + 30 * hourMs, 1),
    ];
    const result = made(t, fixes, '2024-05-01', '2024-05-31', 'local');
    const visited = result.places.filter(
      ({ level, days: count }) => level === 'country' && count > 0,
    );
    t.deepEqual(visited.map(({ country_id }) => country_id).toSorted(), ['DE', 'TH']);
    t.true(result.places.some((row) => row.level === 'country' && row.days === 0));
    t.like(result.summary, { transit_nights: 1, unknown_nights: 0, unknown_days: 0 });
  });
}

const berlin: Town = { lat: 52.36, lon: 13.5, country: 'DE', zone: 'Europe/Berlin' };
const narita: Town = { lat: 35.76, lon: 140.38, country: 'JP', zone: 'Asia/Tokyo' };

test('a fix above a country between two flown legs, with hours of silence on both sides, is no stay there', (t) => {
  const takeOff = Date.UTC(2024, 4, 3, 8);
  const landing = takeOff + 13 * hourMs;
  const fixes = [
    ...at(berlin, '2024-05-02T08:00Z', takeOff),
    [takeOff + 5.5 * hourMs, 47, 68] as const,
    ...at(narita, landing, landing + 30 * hourMs),
  ];
  const result = made(t, fixes, '2024-05-01', '2024-05-31');
  t.like(country(result, 'KZ'), { days: 0, nights: 0, visits: 0, recorded_observations: 1 });
  t.deepEqual(
    result.timeline.map(({ kind, country_id }) => `${kind} ${country_id}`),
    ['stay DE', 'pass KZ', 'stay JP'],
  );
  t.deepEqual(rowsOf(result.trips, 'mode', 'recorded_observations'), [['flight', 1]]);
  const { presence, countries } = result.days.find(({ date_utc }) => date_utc === '2024-05-03')!;
  t.deepEqual(countries, ['DE', 'JP']);
  t.deepEqual(
    presence.map(({ country_id, kind }) => `${country_id} ${kind}`),
    ['DE recorded', 'JP recorded', 'KZ transit'],
  );
});

test('a fix between two flights that were hours on the ground there is a mark, with its day', (t) => {
  const takeOff = Date.UTC(2024, 4, 3, 8);
  const landing = takeOff + 19 * hourMs;
  const fixes = [
    ...at(berlin, '2024-05-02T08:00Z', takeOff),
    [takeOff + 9 * hourMs, 47, 68] as const,
    ...at(narita, landing, landing + 30 * hourMs),
  ];
  const result = made(t, fixes, '2024-05-01', '2024-05-31');
  t.like(country(result, 'KZ'), { days: 1, visits: 1 });
  t.is(result.trips.length, 2);
  // A flight does not turn back: where it does it has landed.
  const day = at(berlin, '2024-05-02T08:00Z', takeOff);
  const home = at(berlin, takeOff + 4 * hourMs, takeOff + 20 * hourMs);
  const turned = [...day, [takeOff + 2 * hourMs, 48.35, 16.4] as const, ...home];
  t.is(country(made(t, turned, '2024-05-01', '2024-05-31'), 'AT')?.days, 1);
});

const airports = [
  berlin,
  narita,
  { lat: 48.35, lon: 11.78, country: 'DE' },
  { lat: 40.64, lon: -73.78, country: 'US' },
  { lat: -33.95, lon: 151.18, country: 'AU' },
  { lat: -23.43, lon: -46.47, country: 'BR' },
  { lat: 28.56, lon: 77.1, country: 'IN' },
  { lat: 38.77, lon: -9.13, country: 'PT' },
  { lat: 60.32, lon: 24.95, country: 'FI' },
  { lat: 30.12, lon: 31.4, country: 'EG' },
  { lat: 37.94, lon: 23.94, country: 'GR' },
];

test('stray fixes in flights make no day, night or stop, whatever is silent around them', (t) => {
  // The first two: hours on the ground before a fast flight; a short flight, mostly gaps.
  for (const seed of [1_082_731_352, 916_086_256, ...seeds(20)]) {
    const random = new Random(seed);
    const from = random.pick(airports);
    const to = random.pick(
      airports.filter((one) => one.country !== from.country && metresBetween(one, from) > 900_000),
    );
    const metres = metresBetween(from, to);
    const flownMs = Math.round(metres / random.between(205, 250)) * 1_000;
    const takeOff = Date.UTC(2024, 4, 3) + random.below(24 * 60) * minuteMs;
    // On the ground and silent for up to three hours in all, less what the flight is slower than 700 km/h.
    const idleMs = random.unit() * (metres / 0.1945 + 3 * hourMs - flownMs);
    const offMs = Math.round(idleMs * random.unit());
    const onMs = Math.round(idleMs - offMs);
    const strays = Array.from({ length: 1 + random.below(3) }, () => random.between(0.15, 0.85))
      .toSorted((a, b) => a - b)
      .map((share): Observed => {
        const { lat, lon } = between(from, to, share);
        return [takeOff + Math.round(share * flownMs), lat, lon];
      });
    const landed = takeOff + flownMs + onMs;
    const fixes = [
      ...at(from, takeOff - offMs - 20 * hourMs, takeOff - offMs),
      ...strays,
      ...at(to, landed, landed + 20 * hourMs),
    ];
    const result = made(t, fixes, '2024-05-01', '2024-05-31');
    const rows = result.places.filter(({ level }) => level === 'country');
    const visited = rows.filter(({ days: count, nights, visits }) => count + nights + visits > 0);
    t.deepEqual(
      valuesOf(visited, 'country_id').toSorted(),
      [from.country, to.country].toSorted(),
      `seed ${seed}`,
    );
    t.deepEqual(valuesOf(result.trips, 'mode'), ['flight'], `seed ${seed}`);
    t.deepEqual(faultsOf(result, nightsOf(fixes)), [], `seed ${seed}`);
  }
});

test('a fast train is no flight', (t) => {
  const [from, to] = [Date.UTC(2024, 4, 3, 9), Date.UTC(2024, 4, 3, 11, 30)];
  const fixes = [
    ...at(munich, '2024-05-03T08:00Z', from),
    ...way(munich, lyon, from, to, 1),
    ...at(lyon, to, '2024-05-03T13:00Z'),
  ];
  const result = made(t, fixes, '2024-05-03', '2024-05-03');
  t.is(country(result, 'CH')?.days, 1);
});

// Local days

/** Days of a journey from one town to another and back, as a calendar on the wall counts them. */
function localDays(town: Town, stays: readonly (readonly [Town, number, number])[]): number {
  const dates = new Set<string>();
  for (const [place, fromMs, toMs] of stays) {
    if (place !== town) continue;
    for (let timeMs = fromMs; timeMs <= toMs; timeMs += hourMs / 4) {
      dates.add(new Date(timeMs).toLocaleDateString('en-CA', { timeZone: place.zone }));
    }
  }
  return dates.size;
}

for (const [home, away] of [
  [auckland, sydney],
  [toronto, mexico],
  [kassel, bangkok],
  [honolulu, tokyo],
] as const) {
  test(`trips from ${home.country} to ${away.country} have the days of the calendars there`, (t) => {
    const flightMs = (metresBetween(home, away) / 230) * 1_000;
    for (let trip = 0; trip < rounds(6); trip += 1) {
      const quarter = hourMs / 4;
      const start = Date.UTC(2024, 2 * trip, 5, 7 * trip);
      const out = start + 30 * hourMs + trip * 5 * quarter;
      const arrival = out + Math.ceil(flightMs / quarter) * quarter;
      const back = arrival + (20 + trip * 29) * hourMs;
      const home2 = back + Math.ceil(flightMs / quarter) * quarter;
      const stays = [
        [home, start, out],
        [away, arrival, back],
        [home, home2, home2 + 40 * hourMs],
      ] as const;
      const fixes = stays.flatMap(([place, from, to]) => at(place, from, to, 15));
      const [first, last] = [start - 3 * dayMs, home2 + 5 * dayMs].map((ms) =>
        new Date(ms).toISOString().slice(0, 10),
      );
      const result = made(t, fixes, first!, last!, 'local');
      for (const town of [home, away]) {
        t.is(country(result, town.country)?.days, localDays(town, stays), `trip ${trip}`);
      }
      t.is(result.summary.unknown_days, 0);
      t.is(result.summary.unknown_nights, 0);
    }
  });
}

test('days of a named zone begin at its midnights, through the changes of its clock', (t) => {
  const fixes = at(kassel, '2024-03-29T22:00Z', '2024-04-01T22:30Z', 15);
  const result = made(t, fixes, '2024-03-30', '2024-04-01', 'Europe/Berlin');
  t.like(result.period, {
    start_utc: '2024-03-29T23:00:00Z',
    end_utc_exclusive: '2024-04-01T22:00:00Z',
    days: 3,
    time_zone: 'Europe/Berlin',
  });
  t.deepEqual(
    result.days.map(({ date_local, utc_offset_minutes, recorded_observations, stop_seconds }) => [
      date_local,
      utc_offset_minutes,
      recorded_observations,
      stop_seconds / 3_600,
    ]),
    [
      ['2024-03-30', 60, 96, 24],
      ['2024-03-31', 120, 92, 23],
      ['2024-04-01', 120, 96, 24],
    ],
  );
});

test('a day that a zone left out is neither counted nor unknown, one that came twice is one day', (t) => {
  const apia = { lat: -13.8333, lon: -171.7667 };
  const fixes = [
    ...at(apia, '2011-12-29T02:00Z', '2011-12-30T08:00Z'),
    ...at(apia, '2011-12-30T12:00Z', '2012-01-01T08:00Z'),
  ];
  const left = made(t, fixes, '2011-12-25', '2012-01-03', 'local');
  t.deepEqual(valuesOf(left.days, 'date_local'), [
    '2011-12-28',
    '2011-12-29',
    '2011-12-31',
    '2012-01-01',
  ]);
  t.deepEqual(valuesOf(left.days, 'utc_offset_minutes'), [-600, -600, 840, 840]);
  t.is(left.summary.unknown_days, 0);
  // Tokyo in the evening of the 4th, Honolulu in the morning of the 4th.
  const twice = [
    ...at(tokyo, '2024-05-03T23:00Z', '2024-05-04T10:00Z'),
    ...at(honolulu, '2024-05-04T17:30Z', '2024-05-05T08:00Z'),
  ];
  const result = made(t, twice, '2024-05-01', '2024-05-31', 'local');
  t.deepEqual(
    result.days.map(({ date_local, countries }) => [date_local, ...countries]),
    [['2024-05-04', 'JP', 'US']],
  );
  t.is(result.summary.recorded_observations, result.days[0]!.recorded_observations);
});

test('a day between two zones far apart is in transit, one that the date line takes is none', (t) => {
  // Seventeen hours eastwards, then nine westwards over the date line.
  const east = [
    ...at(honolulu, '2024-05-02T04:00Z', '2024-05-02T05:30Z'),
    ...at(munich, '2024-05-02T22:30Z', '2024-05-03T00:30Z'),
  ];
  const west = [
    ...at(honolulu, '2024-05-02T04:00Z', '2024-05-02T05:30Z'),
    ...at(auckland, '2024-05-02T14:30Z', '2024-05-02T16:30Z'),
  ];
  const daysOf = (fixes: readonly Observed[]) =>
    made(t, fixes, '2024-04-01', '2024-05-31', 'local').days.map(({ date_local, presence }) => [
      date_local,
      ...valuesOf(presence, 'kind'),
    ]);
  t.deepEqual(daysOf(east), [
    ['2024-05-01', 'recorded'],
    ['2024-05-02', 'transit'],
    ['2024-05-03', 'recorded'],
  ]);
  t.deepEqual(daysOf(west), [
    ['2024-05-01', 'recorded'],
    ['2024-05-03', 'recorded'],
  ]);
});

test('waypoints away from the track keep their places and times, also while one in the air waits for the landing', (t) => {
  const began = Date.parse('2024-05-02T08:00Z');
  const [leftMs, landMs] = [began + 2 * hourMs, began + 3 * hourMs];
  const trackPoints = [
    ...at(kassel, '2024-05-02T08:00Z', '2024-05-02T10:00Z'),
    ...way(kassel, lyon, leftMs + minuteMs, landMs, 1),
    ...at(lyon, '2024-05-02T11:01Z', '2024-05-02T14:00Z'),
  ];
  const next = trackPoints.findIndex(([timeMs]) => timeMs > leftMs + 31 * minuteMs);
  const [one, two] = [trackPoints[next - 1]!, trackPoints[next]!];
  const inAir = [0, 1, 2].map((i) => (one[i]! + two[i]!) / 2) as unknown as Observed;
  const aside: Observed[] = [
    [leftMs + 40 * minuteMs, munich.lat, munich.lon],
    [leftMs + 50 * minuteMs, tokyo.lat, tokyo.lon],
  ];
  const waypoints = [inAir, ...aside];
  const library = libraryOf(t, [{ path: 'a.gpx', trackPoints, waypoints }]);
  const { result } = timelineOf(t, library, days('2024-05-02'));
  const marks = result.timeline.filter(({ kind }) => kind === 'mark');
  t.deepEqual(
    marks.map((mark) => [Date.parse(mark.first_observation_utc), mark.lat, mark.lon]),
    aside,
  );
  t.deepEqual(valuesOf(marks, 'country_id'), ['DE', 'JP']);
});

test('at sea days are those of the nautical zones', (t) => {
  const ship = at({ lat: 30.5, lon: -40 }, '2024-05-03T12:00Z', '2024-05-04T02:50Z');
  const [day, ...others] = made(t, ship, '2024-05-01', '2024-05-31', 'local').days;
  t.like(day, { date_local: '2024-05-03', utc_offset_minutes: -180 });
  t.deepEqual(others, []);
});

// Every journey

/** On both sides of the date line, one of them in a zone that is a day ahead. */
const apia: Town = { lat: -13.8333, lon: -171.7667, country: 'WS', zone: 'Pacific/Apia' };
const towns = [kassel, munich, lyon, sydney, mexico, bangkok, tokyo, honolulu, auckland, apia];
const ports = [
  { lat: 38.6, lon: -28.7 },
  { lat: 32.3, lon: -64.9 },
];
const leg = fc.record({
  town: fc.integer({ min: 0, max: towns.length - 1 }),
  hours: fc.integer({ min: 1, max: 60 }),
  everyMin: fc.constantFrom(5, 47, 200, 900),
  silentHours: fc.constantFrom(0, 0, 0, 5, 30, 71, 73, 200),
  isFlightSeen: fc.boolean(),
  isByShip: fc.boolean(),
});
type Leg = typeof leg extends fc.Arbitrary<infer T> ? T : never;
/** Clocks are put forward and back in Europe, Mexico and the south; and any spring day. */
const starts = ['2024-03-29T09:00Z', '2024-04-05T22:00Z', '2024-05-01T09:00Z', '2021-10-29T15:00Z'];

function journeyOf(legs: readonly Leg[], start: string): Observed[] {
  const fixes: Observed[] = [];
  let timeMs = Date.parse(start);
  let here: Town | undefined;
  for (const { town, hours, everyMin, silentHours, isFlightSeen, isByShip } of legs) {
    const there = towns[town]!;
    if (here !== undefined && here !== there) {
      const landMs = timeMs + (metresBetween(here, there) / 200) * 1_000;
      if (isFlightSeen) fixes.push(...way(here, there, timeMs, landMs, 4));
      timeMs = landMs;
    }
    here = there;
    fixes.push(...at(there, Math.round(timeMs), Math.round(timeMs + hours * hourMs), everyMin));
    timeMs += (hours + silentHours) * hourMs + minuteMs;
    if (!isByShip) continue;
    // Four days over the Atlantic, as somebody's who went on board without a recorder.
    const arrivedMs = timeMs + 96 * hourMs;
    fixes.push(...way(ports[0]!, ports[1]!, timeMs, arrivedMs, 47));
    timeMs = arrivedMs + 60 * hourMs;
  }
  return fixes.map(([ms, lat, lon]) => [Math.round(ms / 1_000) * 1_000, lat, lon]);
}

/** Moments of 03:00 solar time, hour by hour; who goes round the earth takes the hours along. */
function nightsOf(fixes: readonly Observed[]): number {
  let turned = fixes[0]![2];
  let latest = -Infinity;
  let first = Number.NaN;
  for (const [i, [timeMs, , lon]] of fixes.entries()) {
    const step = lon - (fixes[i - 1]?.[2] ?? lon);
    turned += step - 360 * Math.round(step / 360);
    const night = Math.floor((timeMs + (Math.round(turned / 15) - 3) * hourMs) / dayMs);
    if (i === 0) first = night;
    latest = Math.max(latest, night);
  }
  return latest - first;
}

const farPeriod = {
  startDay: Date.UTC(2021, 8, 1) / dayMs,
  endDay: Date.UTC(2024, 11, 31) / dayMs,
};

function timelineOfFixes(t: ExecutionContext, trackPoints: readonly Observed[], timeZone: string) {
  return timelineOf(t, libraryOf(t, [{ path: 'a.gpx', trackPoints }]), { ...farPeriod, timeZone })
    .result;
}

/** Each day from the first to the last is listed once, or unknown. */
function daysFaults({ days: rows, summary }: TimelineResult): string[] {
  const numbers = rows.map(({ date_local }) => Date.parse(date_local) / dayMs);
  const span = Math.max(...numbers) - Math.min(...numbers) + 1;
  const listed = new Set(numbers).size;
  if (listed !== rows.length) return ['a day is listed twice'];
  const counted = listed + summary.unknown_days;
  return counted === span ? [] : [`${listed} listed, ${summary.unknown_days} unknown of ${span}`];
}

test('on every journey nights and days add up, and one fix more makes no recorded day unknown', (t) => {
  fc.assert(
    fc.property(
      fc.array(leg, { minLength: 1, maxLength: 7 }),
      fc.constantFrom(...starts),
      fc.nat(),
      fc.constantFrom('UTC', 'local', 'Asia/Tokyo', 'America/New_York'),
      (legs, start, pick, zone) => {
        const fixes = journeyOf(legs, start);
        const result = timelineOfFixes(t, fixes, zone);
        t.deepEqual(faultsOf(result, nightsOf(fixes)), []);
        // The date line takes a day or gives it twice, as the clocks there do.
        const isTorn = fixes.some(
          ([, , lon], i) => i > 0 && Math.abs(lon - fixes[i - 1]![2]) > 180,
        );
        if (zone !== 'local' || !isTorn) t.deepEqual(daysFaults(result), []);
        const less = fixes.toSpliced(pick % fixes.length, 1);
        if (less.length === 0) return;
        const before = timelineOfFixes(t, less, zone);
        const known = new Map(
          result.days.map(({ date_local, presence }) => [date_local, presence]),
        );
        for (const { date_local, presence } of before.days) {
          if (presence.some(({ kind }) => kind === 'recorded'))
            t.true((known.get(date_local) ?? []).length > 0, date_local);
        }
      },
    ),
    { numRuns: rounds(20) },
  );
});
