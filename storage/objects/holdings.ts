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

/** Which contents a repository holds. A content may be held by several; its bytes are stored once. */
export interface Holdings {
  /** Size of an object of this repository; undefined when this repository does not hold it. */
  size(repositoryId: number, oid: string): number | undefined;
  /** @returns false when the repository held it already. */
  add(repositoryId: number, holding: Holding, now: number): boolean;
  remove(repositoryId: number, oid: string): boolean;
  /** Lets go of a content in every repository, because its bytes are lost. @returns the paths of the repositories. */
  forget(oid: string): string[];
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
    remove: (repositoryId, oid) => remove.run(repositoryId, oid).changes > 0,
    forget: prepareForget(db),
    isHeld: (oid) => held.get(oid) !== undefined,
    page: (repositoryId, after, limit) => page.all(repositoryId, after, limit),
    allContents: (after, limit) => contents.all(after, limit),
    ...prepareTraffic(db),
  };
}

function prepareForget(db: Database): Holdings['forget'] {
  const holders = db
    .prepare<unknown[], string>(
      `SELECT r.owner || '/' || r.name FROM holdings AS h JOIN repositories AS r
       ON r.id = h.repository_id WHERE h.oid = ? ORDER BY r.path_key`,
    )
    .pluck();
  const remove = db.prepare('DELETE FROM holdings WHERE oid = ?');
  const forget = db.transaction((oid: string) => {
    const paths = holders.all(oid);
    remove.run(oid);
    return paths;
  });
  return (oid) => forget.immediate(oid);
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
