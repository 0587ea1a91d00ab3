import { Buffer } from 'node:buffer';
import type { LineKind, LineTexts } from '../../model/recording.ts';
import { dayBlobPoints, encodeUntimed, pointColumns } from '../day-blob.ts';
import type { Database } from '../database.ts';
import { fillClock, RunWriter } from '../line-runs.ts';
import { rangeOf } from '../number-columns.ts';
import { prepare } from '../prepared.ts';
import { libraryTables, prepareInsert } from '../schema/library.ts';
import { inUnits } from '../units.ts';
import { eleDmOf, outlinesOf, reachOf, type Point } from './day-collector.ts';

/** The value of `lines.kind`. */
export const lineKinds: Readonly<Record<LineKind, number>> = { track: 0, route: 1 };
/** Texts of a line may come while at most so many lines began after it. */
const recentLines = 4_096;
/** Characters in the names of the points of one part, about. */
const partNames = 1_048_576;
const noPoints = Buffer.alloc(0);

type Position = Omit<Point, 'timeMs'>;

/** Writes the tracks and routes of one file (points before the first are of a track without a name), with those of their points that have no time. Memory is bounded. */
export class LineRows {
  readonly #statements: ReturnType<typeof prepareStatements>;
  #points = pointColumns(0);
  readonly #runs = new RunWriter();
  #names: Record<number, string> | undefined;
  #namesLength = 0;
  #fileId = 0;
  #lineId: number = 0;
  #timed = 0;
  #untimed = 0;
  /** Rows of the lines that began last, by their numbers in the recording. */
  readonly #recent = new Map<number, number>();
  #early: { readonly id: number; readonly texts: LineTexts } | undefined;

  constructor(db: Database) {
    this.#statements = prepareStatements(db);
  }

  /** Begins a file; what was not finished before is forgotten. */
  begin(fileId: number): void {
    this.#fileId = fileId;
    this.#lineId = this.#timed = this.#untimed = 0;
    this.#names = undefined;
    this.#namesLength = 0;
    this.#runs.take();
    this.#runs.segment();
    this.#recent.clear();
    this.#early = undefined;
  }

  line(kind: LineKind, id: number): void {
    this.finish();
    const texts = this.#early?.id === id ? JSON.stringify(this.#early.texts) : null;
    this.#lineId = this.#add(kind, texts);
    this.#runs.segment();
    this.#recent.set(id, this.#lineId);
    if (this.#recent.size <= recentLines) return;
    for (const oldest of this.#recent.keys()) {
      this.#recent.delete(oldest);
      return;
    }
  }

  texts(id: number, texts: LineTexts): void {
    const row = this.#recent.get(id);
    if (row === undefined) this.#early = { id, texts };
    else this.#statements.setTexts.run(JSON.stringify(texts), row);
  }

  segment(): void {
    if (this.#runs.isFull) this.finish();
    this.#runs.segment();
  }

  /** The next timed track point of the file is in this line. */
  timed(): void {
    if (this.#runs.isFull) this.finish();
    this.#timed += 1;
    this.#runs.point(true);
  }

  untimed(lat: number, lon: number, ele: number, name = ''): void {
    const latE7 = inUnits(lat);
    const lonE7 = inUnits(lon);
    const isFull = this.#untimed === dayBlobPoints || this.#namesLength >= partNames;
    if (isFull || this.#runs.isFull) this.finish({ latE7, lonE7 });
    // Most files say the time of all points.
    if (this.#points.latE7.length === 0) this.#points = pointColumns();
    const at = this.#untimed;
    const points = this.#points;
    points.latE7[at] = latE7;
    points.lonE7[at] = lonE7;
    points.eleDm[at] = eleDmOf(ele);
    if (name !== '') (this.#names ??= {})[at] = name;
    this.#namesLength += name.length;
    this.#untimed += 1;
    this.#runs.point(false);
  }

  /** Writes what is left of the line, or what comes before this point without a time. */
  finish(next?: Position): void {
    if (this.#timed + this.#untimed === 0) return;
    const after = this.#runs.goesOn ? next : undefined;
    if (this.#lineId === 0) this.#lineId = this.#add('track', null);
    const count = this.#untimed;
    const runs = this.#runs.take();
    const { lastInsertRowid } = this.#statements.addPart.run({
      line_id: this.#lineId,
      timed: this.#timed,
      untimed: count,
      runs,
      points: count === 0 ? noPoints : encodeUntimed(this.#points, count),
      names: this.#names === undefined ? null : JSON.stringify(this.#names),
    });
    if (count > 0) this.#outline(Number(lastInsertRowid), runs, count, after);
    this.#timed = this.#untimed = this.#namesLength = 0;
    this.#names = undefined;
  }

  #outline(part: number, runs: Buffer, points: number, after?: Position): void {
    const { timeMs, latE7, lonE7 } = this.#points;
    fillClock(runs, timeMs);
    const [south_e7, north_e7] = rangeOf(latE7, 0, points);
    const [west_e7, east_e7] = rangeOf(lonE7, 0, points);
    const extent = { points, first_ms: 0, last_ms: 0, south_e7, west_e7, north_e7, east_e7 };
    const lastMs = timeMs[points - 1]!;
    this.#statements.addOutline.run({
      id: -part,
      file_id: this.#fileId,
      day: 0,
      ...extent,
      ...reachOf(extent, lastMs, after && { ...after, timeMs: lastMs }),
      ...outlinesOf(this.#points, 0, points, extent),
    });
  }

  #add(kind: LineKind, texts: string | null): number {
    const row = { file_id: this.#fileId, kind: lineKinds[kind], texts };
    return Number(this.#statements.addLine.run(row).lastInsertRowid);
  }
}

function prepareStatements(db: Database) {
  return {
    addLine: prepareInsert(db, 'lines'),
    setTexts: prepare(db, (texts: string, id: number) =>
      libraryTables.updateTable('lines').set({ texts }).where('id', '=', id),
    ),
    addPart: prepareInsert(db, 'line_parts'),
    addOutline: prepareInsert(db, 'outlines'),
  };
}
