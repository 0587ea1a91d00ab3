import type { WaypointsQuery } from '../model/waypoint.ts';
import type { Database } from './database.ts';
import { prepare, prepareValue } from './prepared.ts';
import { joinedTables } from './schema/joined.ts';
import { listFilter, listQueries, type ListFilter } from './waypoint-list-sql.ts';

/** Pieces of an answer are about this long: large enough to be cheap, small enough to be made in a few milliseconds. */
const pieceLength = 65_536;
/** The first one is short, so that the answer begins at once, however many readers ask for theirs together. */
const firstPieceLength = 8_192;

/** Rows looked at in one step, a few milliseconds of work: a filter that hits nothing must let others have their turn. */
const stepRows = 4_096;
/** Files looked at in one step: each is a query of its own, which may take as long as a hundred rows. */
const stepFiles = 64;

/**
 * Makes the body of GET /api/waypoints piece by piece: JSON made by SQLite, each waypoint on a line of its own; bookmarks
 * in creation order, then imported waypoints by file and position, each identity once. Empty pieces only mark the end of
 * a step. The connection is a joined reader inside a read transaction, and is busy until the last piece.
 */
export function* waypointListPieces(joined: Database, query: WaypointsQuery): Generator<string> {
  const isGeojson = query.format === 'geojson';
  const head = isGeojson ? '{"type":"FeatureCollection","features":[' : '[';
  const tail = isGeojson ? ']}' : ']';
  let piece = head;
  let separator = '\n';
  let length = firstPieceLength;
  for (const row of waypointRows(joined, query)) {
    if (row === endOfStep) {
      yield '';
      continue;
    }
    piece += separator + row;
    separator = ',\n';
    if (piece.length < length) continue;
    length = pieceLength;
    yield piece;
    piece = '';
  }
  yield separator === '\n' ? head + tail : `${piece}\n${tail}`;
}

/** No row is empty. */
const endOfStep = '';

/**
 * The rows of the list, in its order, each a waypoint as JSON; an empty one marks the end of a step. The connection is
 * busy until the last.
 */
export function* waypointRows(joined: Database, query: WaypointsQuery): Generator<string> {
  const filter = listFilter(query);
  const rows = prepareValue(joined, listQueries(query).bookmarks);
  const lastId = prepareValue(joined, newestBookmark).get() ?? 0;
  for (let from = 1; from <= lastId; from += stepRows) {
    yield* rows.iterate(from, from + stepRows, filter);
    yield endOfStep;
  }
  if (query.bookmarksOnly !== true) yield* importedRows(joined, query, filter);
}

function* importedRows(
  joined: Database,
  query: WaypointsQuery,
  filter: ListFilter,
): Generator<string> {
  const rows = prepareValue(joined, listQueries(query).imported);
  const files = prepare(joined, filesAfter);
  for (let page = files.all(''); page.length > 0; page = files.all(page.at(-1)!.path)) {
    let looked = 0;
    for (const { first, waypoints } of page) {
      const end = first + waypoints;
      for (let from = first; from < end; from += stepRows) {
        const to = Math.min(from + stepRows, end);
        yield* rows.iterate(from, to, filter);
        looked += to - from;
        if (looked < stepRows) continue;
        looked = 0;
        yield endOfStep;
      }
    }
    yield endOfStep;
  }
}

const newestBookmark = () =>
  joinedTables.selectFrom('bookmarks').select('id').orderBy('id', 'desc').limit(1);

const filesAfter = (path: string) =>
  joinedTables
    .selectFrom('library.files')
    .select(['path', 'first_waypoint as first', 'waypoints'])
    .$narrowType<{ first: number }>()
    .where('path', '>', path)
    .orderBy('path')
    .limit(stepFiles);
