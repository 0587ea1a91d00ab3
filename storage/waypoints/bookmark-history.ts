import { identityText, placeText } from '../../model/identity.ts';
import { limits } from '../../model/limits.ts';
import type { Place } from '../../model/waypoint.ts';
import { openReader, orClosed } from '../database.ts';
import { optionalFields, type OptionalFields } from '../more-fields.ts';
import { prepare } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';
import { prepareBookmarks, type Bookmark } from './bookmarks.ts';
import { prepareJournal, type RecordedChange } from './journal.ts';
import { prepareMeta } from './meta.ts';
import type { NumberedRow, RowPair } from './row-change.ts';
import type { TagRow } from './tags.ts';

/** A bookmark, or an imported waypoint that has tags. */
export interface TaggedEntry extends Place {
  readonly fields: OptionalFields;
  /** Raw, in the order they were added. */
  readonly tags: readonly string[];
  readonly isImported: boolean;
}

/** By identityText; bookmarks in creation order, then imported waypoints. */
export type TaggedEntries = ReadonlyMap<string, TaggedEntry>;

interface Rows {
  readonly bookmarks: Map<number, Bookmark>;
  readonly tags: Map<number, TagRow>;
}

/** Opens `waypoints.sqlite`, for bookmarks and tags as they are and were, inside one read transaction of its own. */
export function openBookmarkHistory(waypointsPath: string) {
  return orClosed(openReader(waypointsPath), (db) => {
    db.exec('BEGIN');
    const meta = prepareMeta(db);
    const revision = Number(meta.revision());
    const journal = prepareJournal(db, meta);
    const bookmarks = prepareBookmarks(db, () => {}).all();
    const tags = prepare(db, () =>
      waypointTables.selectFrom('tags').select(['id', 'name', 'lat_e6', 'lon_e6', 'raw']),
    )
      .all()
      .map(({ lat_e6: latE6, lon_e6: lonE6, ...row }) => ({ ...row, latE6, lonE6 }));
    const rows = (): Rows => ({ bookmarks: byId(bookmarks), tags: byId(tags) });
    const now = entriesOf(rows());
    return {
      /** As StoreMeta.revision. */
      revision,
      now,
      /** As it was at a revision; undefined when the journal does not reach back that far, or for one that never was. */
      at(wanted: number): TaggedEntries | undefined {
        if (wanted === revision) return now;
        const changes = wanted < revision ? journal.since(wanted) : undefined;
        return changes && entriesOf(takenBack(rows(), changes));
      },
      /** Identities that bookmarks had within limits.journalMs and have no more. */
      gone(): ReadonlySet<string> {
        const gone = new Set<string>();
        for (let before: number | undefined; ;) {
          const page = journal.list(limits.changesMax, before);
          for (const { id } of page) for (const key of leftBy(journal.get(id))) gone.add(key);
          before = page.at(-1)?.id;
          if (before === undefined) break;
        }
        for (const [key, { isImported }] of now) if (!isImported) gone.delete(key);
        return gone;
      },
      close: () => db.close(),
    };
  });
}

function byId<Row extends NumberedRow>(rows: readonly Row[]): Map<number, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** The identities that bookmarks lost by a change: deleted, renamed or moved. */
function leftBy(change: RecordedChange | undefined): string[] {
  const rows = change?.rows ?? [];
  return rows.flatMap((row) => {
    if (row.of !== 'bookmark' || row.before === null) return [];
    const before = placeText(row.before);
    return row.after !== null && placeText(row.after) === before ? [] : [before];
  });
}

function takenBack(rows: Rows, changes: Iterable<RecordedChange>): Rows {
  for (const { rows: touched } of changes) {
    for (const row of touched.toReversed()) {
      if (row.of === 'bookmark') takeRowBack(rows.bookmarks, row);
      else if (row.of === 'tag') takeRowBack(rows.tags, row);
    }
  }
  return rows;
}

function takeRowBack<Row extends NumberedRow>(
  rows: Map<number, Row>,
  { before, after }: RowPair<Row>,
): void {
  if (before !== null) rows.set(before.id, before);
  else if (after !== null) rows.delete(after.id);
}

function entriesOf({ bookmarks, tags }: Rows): TaggedEntries {
  const tagged = new Map<string, TagRow[]>();
  for (const row of [...tags.values()].toSorted((a, b) => a.id - b.id)) {
    const key = identityText(row);
    const list = tagged.get(key);
    if (list === undefined) tagged.set(key, [row]);
    else list.push(row);
  }
  const entries = new Map<string, TaggedEntry>();
  for (const bookmark of [...bookmarks.values()].toSorted((a, b) => a.id - b.id)) {
    const { name, lat, lon } = bookmark;
    const key = placeText(bookmark);
    const raws = (tagged.get(key) ?? []).map(({ raw }) => raw);
    const fields = optionalFields(bookmark);
    entries.set(key, { name, lat, lon, fields, tags: raws, isImported: false });
    tagged.delete(key);
  }
  for (const [key, list] of tagged) {
    const { name, latE6, lonE6 } = list[0]!;
    const place = { name, lat: latE6 / 1e6, lon: lonE6 / 1e6 };
    entries.set(key, { ...place, fields: {}, tags: list.map(({ raw }) => raw), isImported: true });
  }
  return entries;
}
