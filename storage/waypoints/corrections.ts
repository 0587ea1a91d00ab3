import type { NewCorrection } from '../../model/correction.ts';
import { WaypointError } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';
import { prepareRows, type NoteRow, type RowPair, type RowTable } from './row-change.ts';

/** What the user says of a span of time, against what a timeline would find there. Times are ISO 8601 UTC. */
export interface CorrectionRow extends NewCorrection {
  readonly id: number;
}

/** Corrections of timelines; a later one has a higher id. */
export type CorrectionStore = ReturnType<typeof prepareCorrections>;

const stored = ['kind', 'start_ms', 'end_ms', 'mode', 'lat', 'lon'] as const;

const table: RowTable<'corrections', CorrectionRow> = {
  name: 'corrections',
  columns: stored,
  // Sound: what was checked by its schema is all that is written here.
  toRow: ({ id, kind, start_ms, end_ms, mode, lat, lon }) =>
    ({
      id,
      kind,
      start_utc: formatTime(start_ms),
      end_utc: formatTime(end_ms),
      ...(mode !== null && { mode }),
      ...(lat !== null && { lat }),
      ...(lon !== null && { lon }),
    }) as CorrectionRow,
  toColumns: ({ kind, start_utc, end_utc, mode = null, lat = null, lon = null }) => ({
    kind,
    start_ms: parseTime(start_utc)!,
    end_ms: parseTime(end_utc)!,
    mode,
    lat,
    lon,
  }),
};

export function prepareCorrections(db: Database, note: NoteRow<CorrectionRow>) {
  const all = prepare(db, () =>
    waypointTables
      .selectFrom('corrections')
      .select(['id', ...stored])
      .orderBy('id'),
  );
  const count = prepareValue(db, () =>
    waypointTables.selectFrom('corrections').select((eb) => eb.fn.countAll<number>().as('count')),
  );
  let revision = 0;
  const rows = prepareRows(db, table, (pair: RowPair<CorrectionRow>) => {
    revision += 1;
    note(pair);
  });
  const countAll = (): number => count.get() ?? 0;
  return {
    ...rows,
    /** All of them, the oldest first. */
    all: () => all.all().map(table.toRow),
    count: countAll,
    /** Counts the changes since the start. */
    revision: () => revision,
    /** @throws WaypointError too_many_corrections */
    addChecked(fields: NewCorrection): CorrectionRow {
      if (countAll() >= limits.corrections) throw new WaypointError('too_many_corrections');
      return rows.add(fields);
    },
    /** @throws WaypointError unknown_correction */
    removeKnown(id: number): CorrectionRow {
      const row = rows.get(id);
      if (row === undefined) throw new WaypointError('unknown_correction');
      rows.remove(row);
      return row;
    },
  };
}
