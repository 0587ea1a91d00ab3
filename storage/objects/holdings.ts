import type { Statement } from 'better-sqlite3';
import type { Database } from '../database.ts';

export interface Holding {
  readonly oid: string;
  /** Bytes. */
  readonly size: number;
}

export interface Traffic {
  readonly sent: number;
  readonly received: number;
}

/** What became of an object that a repository was to hold. */
export type AddOutcome = 'added' | 'present' | 'over_quota' | 'no_repository';

/** Which contents a repository holds. A content may be held by several; its bytes are stored once. */
export interface Holdings {
  /** Size of an object of this repository; undefined when this repository does not hold it. */
  size(repositoryId: number, oid: string): number | undefined;
  /** Adds an object, whatever the quota. @returns false when the repository held it already. */
  add(repositoryId: number, holding: Holding, now: number): boolean;
  /** Adds an object where the quota, and the repository, still stand. */
  addWithinQuota(repositoryId: number, holding: Holding, now: number): AddOutcome;
  remove(repositoryId: number, oid: string): boolean;
  /** Whether any repository holds a content. */
  isHeld(oid: string): boolean;
  /** Objects of a repository after `after`, in order of oid, at most `limit`. */
  page(repositoryId: number, after: string, limit: number): Holding[];
  /** Every content that any repository holds, once, after `after`, at most `limit`. */
  allContents(after: string, limit: number): Holding[];
  /** Adds to the traffic of a day (UTC, since 1970). */
  addTraffic(repositoryId: number, day: number, traffic: Traffic): void;
  /** Traffic of a repository from a day on. */
  trafficSince(repositoryId: number, day: number): Traffic;
}

export function prepareHoldings(db: Database): Holdings {
  const size = db
    .prepare<unknown[], number>('SELECT size FROM holdings WHERE repository_id = ? AND oid = ?')
    .pluck();
  const add = db.prepare(
    `INSERT INTO holdings (repository_id, oid, size, stored_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const remove = db.prepare('DELETE FROM holdings WHERE repository_id = ? AND oid = ?');
  const held = db.prepare('SELECT 1 FROM holdings WHERE oid = ? LIMIT 1').pluck();
  const page = db.prepare<unknown[], Holding>(
    'SELECT oid, size FROM holdings WHERE repository_id = ? AND oid > ? ORDER BY oid LIMIT ?',
  );
  const contents = db.prepare<unknown[], Holding>(
    'SELECT oid, max(size) AS size FROM holdings WHERE oid > ? GROUP BY oid ORDER BY oid LIMIT ?',
  );
  return {
    size: (repositoryId, oid) => size.get(repositoryId, oid),
    add: (repositoryId, holding, now) =>
      add.run(repositoryId, holding.oid, holding.size, now).changes === 1,
    addWithinQuota: prepareAddWithinQuota(db, { size, add }),
    remove: (repositoryId, oid) => remove.run(repositoryId, oid).changes > 0,
    isHeld: (oid) => held.get(oid) !== undefined,
    page: (repositoryId, after, limit) => page.all(repositoryId, after, limit),
    allContents: (after, limit) => contents.all(after, limit),
    ...prepareTraffic(db),
  };
}

interface HoldingStatements {
  readonly size: Statement<unknown[], number>;
  readonly add: Statement;
}

function prepareAddWithinQuota(
  db: Database,
  { size, add }: HoldingStatements,
): Holdings['addWithinQuota'] {
  const room = db.prepare<unknown[], { bytes: number; quota: number | null }>(
    'SELECT bytes, quota_bytes AS quota FROM repositories WHERE id = ?',
  );
  const addWithin = db.transaction(
    (repositoryId: number, holding: Holding, now: number): AddOutcome => {
      const row = room.get(repositoryId);
      if (row === undefined) return 'no_repository';
      if (size.get(repositoryId, holding.oid) !== undefined) return 'present';
      if (row.quota !== null && row.bytes + holding.size > row.quota) return 'over_quota';
      add.run(repositoryId, holding.oid, holding.size, now);
      return 'added';
    },
  );
  return (repositoryId, holding, now) => addWithin.immediate(repositoryId, holding, now);
}

function prepareTraffic(db: Database): Pick<Holdings, 'addTraffic' | 'trafficSince'> {
  const add = db.prepare(
    `INSERT INTO traffic VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
     sent_bytes = sent_bytes + excluded.sent_bytes,
     received_bytes = received_bytes + excluded.received_bytes`,
  );
  const since = db.prepare<unknown[], Traffic>(
    `SELECT coalesce(sum(sent_bytes), 0) AS sent, coalesce(sum(received_bytes), 0) AS received
     FROM traffic WHERE repository_id = ? AND day >= ?`,
  );
  return {
    addTraffic: (repositoryId, day, { sent, received }) => {
      add.run(repositoryId, day, sent, received);
    },
    trafficSince: (repositoryId, day) => since.get(repositoryId, day) ?? { sent: 0, received: 0 },
  };
}
