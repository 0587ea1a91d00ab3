import type { LineKind, LinePoint, LinePoints, LineTexts } from '../../model/recording.ts';
import type { Bbox } from '../../model/schema.ts';
import { decodeUntimed, noElevation, pointColumns, type PointColumns } from '../day-blob.ts';
import type { Database } from '../database.ts';
import { readRuns } from '../line-runs.ts';
import { prepare } from '../prepared.ts';
import { joinedTables } from '../schema/joined.ts';
import { boxesOf, unitsPerDegree, unitsPerMetre, type BoxE7 } from '../units.ts';
import { lineKinds } from './line-rows.ts';
import { prepareTimedPoints, TimedPoints, type Stretch } from './timed-points.ts';

/** Which points are read; a segment is cut where points are left out. */
export interface LineFilter {
  /** With a period, both ends included, points without a time are left out. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly bbox?: Bbox | undefined;
}

/** Points handed on at once: some milliseconds of work for the writer. */
const stretchPoints = 1_024;
const pageRows = 256;

/**
 * Reads the tracks or the routes of all files, by path, in the order of the files; undefined marks the end of a step that
 * found nothing. The connection is a joined reader inside a read transaction.
 * @throws DayBlobCorrupt, errors of SQLite
 */
export function* readLines(
  joined: Database,
  kind: LineKind,
  filter: LineFilter,
): Generator<LinePoints | undefined> {
  const extent = new Extent(filter);
  if (extent.isPeriod && kind === 'route') return;
  const statements = prepareStatements(joined);
  // Made once: for thousands of small files, making them would cost more than all else.
  const [decoded, untimed] = [pointColumns(), pointColumns()];
  untimed.timeMs.fill(Number.NaN);
  for (const file of filesOf(statements)) {
    yield undefined;
    const { firstMs, lastMs } = file;
    if (file[`${kind}s`] === 0) continue;
    if (extent.isPeriod && !extent.overlaps(firstMs ?? Infinity, lastMs ?? -Infinity)) continue;
    const timed = new TimedPoints(statements, file.id, decoded);
    for (const line of linesOf(statements, file.id, lineKinds[kind])) {
      // Sound: written by LineRows.
      const texts = line.texts === null ? {} : (JSON.parse(line.texts) as LineTexts);
      const stretches = stretchesOf(statements, line.id, timed, untimed);
      yield* pointsOf({ kind, line: line.id, texts }, stretches, extent);
    }
  }
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(joined: Database) {
  return {
    ...prepareTimedPoints(joined),
    files: prepare(joined, (after: string) =>
      joinedTables
        .selectFrom('library.files')
        .select(['id', 'path', 'tracks', 'routes', 'first_ms as firstMs', 'last_ms as lastMs'])
        .where('path', '>', after)
        .orderBy('path')
        .limit(pageRows),
    ),
    lines: prepare(joined, (file: number, kind: number, after: number) =>
      joinedTables
        .selectFrom('library.lines')
        .select(['id', 'texts'])
        .where('file_id', '=', file)
        .where('kind', '=', kind)
        .where('id', '>', after)
        .orderBy('id')
        .limit(pageRows),
    ),
    part: prepare(joined, (line: number, after: number) =>
      joinedTables
        .selectFrom('library.line_parts')
        .select(['id', 'untimed', 'runs', 'points', 'names'])
        .where('line_id', '=', line)
        .where('id', '>', after)
        .orderBy('id')
        .limit(1),
    ),
  };
}

/** Page by page: an open iterator makes other statements fail. */
function* filesOf({ files }: Statements) {
  for (let page = files.all(''); page.length > 0; page = files.all(page.at(-1)!.path)) yield* page;
}

function* linesOf({ lines }: Statements, file: number, kind: number) {
  for (let after = 0; ;) {
    const page = lines.all(file, kind, after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** Points of a line that are of one segment with those before, unless it says otherwise. */
interface LineStretch extends Stretch {
  readonly beginsSegment: boolean;
  readonly names: Readonly<Record<number, string>>;
}

function* stretchesOf(
  { part }: Statements,
  line: number,
  timed: TimedPoints,
  untimed: PointColumns,
): Generator<LineStretch> {
  for (let row = part.get(line, 0); row !== undefined; row = part.get(line, row.id)) {
    const names = row.names === null ? {} : (JSON.parse(row.names) as Record<number, string>);
    if (row.untimed > 0) decodeUntimed(row.points, untimed);
    let place = 0;
    for (const { points, isTimed, beginsSegment } of readRuns(row.runs)) {
      for (let left = points; left > 0;) {
        const most = Math.min(left, stretchPoints);
        const begins = beginsSegment && left === points;
        const stretch = isTimed
          ? { ...timed.next(most), names: {} }
          : { columns: untimed, from: place, to: place + most, names };
        if (!isTimed) place += most;
        left -= stretch.to - stretch.from;
        yield { ...stretch, beginsSegment: begins };
      }
    }
  }
}

function* pointsOf(
  line: Omit<LinePoints, 'segment' | 'points'>,
  stretches: Iterable<LineStretch>,
  extent: Extent,
): Generator<LinePoints | undefined> {
  let segment = 0;
  let isCut = false;
  for (const { columns, from, to, beginsSegment, names } of stretches) {
    isCut ||= beginsSegment;
    let points: LinePoint[] = [];
    for (let at = from; at <= to; at += 1) {
      if (at < to && extent.holds(columns, at)) {
        points.push(pointAt(columns, at, names[at]));
        continue;
      }
      if (points.length > 0) {
        if (isCut) segment += 1;
        yield { ...line, segment, points };
        points = [];
        isCut = false;
      }
      if (at < to) isCut = true;
    }
    yield undefined;
  }
}

function pointAt(
  { latE7, lonE7, eleDm, timeMs }: PointColumns,
  at: number,
  name: string | undefined,
): LinePoint {
  const ele = eleDm[at]!;
  return {
    lat: latE7[at]! / unitsPerDegree,
    lon: lonE7[at]! / unitsPerDegree,
    ele: ele === noElevation ? Number.NaN : ele / unitsPerMetre,
    timeMs: timeMs[at]!,
    name,
  };
}

/** A period and a box, in the units of the columns. */
class Extent {
  readonly isPeriod: boolean;
  readonly #fromMs: number;
  readonly #toMs: number;
  readonly #boxes: readonly BoxE7[];

  constructor({ fromMs, toMs, bbox }: LineFilter) {
    this.isPeriod = fromMs !== undefined || toMs !== undefined;
    this.#fromMs = fromMs ?? -Infinity;
    this.#toMs = toMs ?? Infinity;
    this.#boxes = boxesOf(bbox);
  }

  overlaps(firstMs: number, lastMs: number): boolean {
    return firstMs <= this.#toMs && lastMs >= this.#fromMs;
  }

  holds({ timeMs, latE7, lonE7 }: PointColumns, at: number): boolean {
    const time = timeMs[at]!;
    if (this.isPeriod && !(time >= this.#fromMs && time <= this.#toMs)) return false;
    const lat = latE7[at]!;
    const lon = lonE7[at]!;
    return this.#boxes.some(
      ({ south, west, north, east }) => lat >= south && lat <= north && lon >= west && lon <= east,
    );
  }
}
