/** The calendar that `days --svg` and `timeline --svg` draw. */
import test from 'ava';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { calendarSvg } from '../cli/commands/timeline/calendar-svg.ts';
import type { TimelineDay, TimelinePlace } from '../model/timeline-result.ts';
import { valuesOf } from './helpers/fields.ts';

type Kind = TimelineDay['presence'][number]['kind'];

function day(date_local: string, presence: Readonly<Record<string, Kind>>): TimelineDay {
  const kinds = Object.entries(presence).map(([country_id, kind]) => ({ country_id, kind }));
  return { date_local, presence: kinds } as unknown as TimelineDay;
}

function place(country_id: string, country: string, days: number, days_inferred = 0) {
  return { level: 'country', country_id, country, days, days_inferred } as TimelinePlace;
}

const days = [
  day('2023-12-31', { PT: 'recorded' }),
  day('2024-01-01', { PT: 'recorded', ES: 'recorded' }),
  day('2024-02-29', { ES: 'inferred' }),
  day('2024-03-01', { '': 'transit' }),
];
const places = [
  place('PT', 'Portugal & <Azores>', 2),
  place('ES', 'Spain', 2, 1),
  place('FR', 'France', 9),
  { ...place('PT', 'Portugal', 2), level: 'locality' } as TimelinePlace,
];

interface Shape {
  readonly '@_class': string;
  readonly '@_x': string;
  readonly '@_y': string;
  readonly '@_width': string;
}

interface Cell {
  readonly title: string;
  readonly rect: Shape | Shape[];
  readonly circle?: Shape;
}

interface Drawn {
  readonly title: string;
  readonly style: string;
  readonly '@_width': string;
  readonly '@_height': string;
  readonly rect: Shape[];
  readonly g: Cell[];
  readonly text: (string | { readonly '#text': string })[];
}

function draw(...input: Parameters<typeof calendarSvg>): { text: string; svg: Drawn } {
  const text = calendarSvg(...input);
  const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === 'g' });
  return { text, svg: parser.parse(text).svg };
}

test('each day is a cell with its countries, and each year a block', (t) => {
  const { text, svg } = draw({ places, dataset: null }, days);
  t.is(XMLValidator.validate(text), true);
  t.is(svg.title, 'Days by country, 2023, 2024');
  t.is(svg.rect.filter((rect) => rect['@_class'] === 'e').length + days.length, 365 + 366);
  t.deepEqual(valuesOf(svg.g, 'title'), [
    '2023-12-31: Portugal & <Azores>',
    '2024-01-01: Portugal & <Azores>, Spain',
    '2024-02-29: Spain (inferred)',
    '2024-03-01: in transit',
  ]);
  const classes = svg.g.map(({ rect }) => [rect].flat().map((shape) => shape['@_class']));
  t.deepEqual(classes, [['e', 'c0'], ['e', 'c0', 'c1'], ['e', 'c1 i'], ['e']]);
  t.is(svg.g[3]?.circle?.['@_class'], 'c8');
});

test('weeks are columns that begin on Monday', (t) => {
  const { svg } = draw({ places, dataset: null }, days);
  const placeOf = (at: number): number[] => {
    const [first] = [svg.g[at]?.rect ?? []].flat();
    return [Number(first?.['@_x']), Number(first?.['@_y'])];
  };
  const [sunday, monday, leap, friday] = [0, 1, 2, 3].map(placeOf) as [
    number[],
    number[],
    number[],
    number[],
  ];
  // 2023-12-31 was a Sunday in the 53rd week of its year, which began on a Sunday.
  t.deepEqual(sunday, [40 + 52 * 14, 42 + 6 * 14]);
  t.deepEqual(monday, [40, 154 + 42]);
  t.deepEqual(leap, [40 + 8 * 14, 154 + 42 + 3 * 14]);
  t.deepEqual(friday, [40 + 8 * 14, 154 + 42 + 4 * 14]);
  for (const rect of svg.rect) t.true(Number(rect['@_x']) + 11 <= Number(svg['@_width']));
});

test('the legend has the countries that are shown, with their days, and the source of borders', (t) => {
  const dataset = {
    generation_id: 'g',
    dataset_version: '1',
    source_version: '1',
    attribution: 'A & B',
    license: 'x',
  };
  const { text } = draw({ places, dataset }, days);
  t.regex(text, />Portugal &amp; &lt;Azores&gt;: 2 days</);
  t.regex(text, />Spain: 2 days, 1 inferred</);
  t.notRegex(text, /France/);
  t.regex(text, />Borders: A &amp; B</);
  t.regex(text, /prefers-color-scheme:dark/);
});

test('twenty years with fifty countries are one picture, and further countries share a colour', (t) => {
  const ids = Array.from({ length: 50 }, (_, at) => `C${at}`);
  const many = Array.from({ length: 20 }, (_, at) =>
    day(`${2000 + at}-07-01`, { [`C${at}`]: 'recorded' }),
  );
  const countries = ids.map((id, at) => place(id, id, 100 - at));
  const { text, svg } = draw({ places: countries, dataset: null }, many);
  t.true(text.length < 1_000_000);
  t.is(svg.g.length, 20);
  const last = svg.g.map(({ rect }) => [rect].flat().at(-1)?.['@_class']);
  t.deepEqual(last.slice(0, 9), ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8']);
  t.deepEqual([...new Set(last.slice(8))], ['c8']);
  t.true(Number(svg['@_height']) > 20 * 154);
});
