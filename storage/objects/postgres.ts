import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Kysely, PostgresDialect, sql, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { closing } from '../../model/closing.ts';
import { errorCode } from '../../model/error-code.ts';
import { WaypointError } from '../../model/failure.ts';
import { copyRows } from './copy-rows.ts';
import { objectRows, type ObjectRows } from './dialect.ts';
import { ObjectsRefused, openObjectsDatabase } from './open.ts';
import { syncedCommits, type RowsStore } from './rows-store.ts';
import { objectsMigrations, type ObjectsDb } from './schema.ts';

/** A server needs few: a statement takes less than a millisecond. */
const connections = 10;
/** Clients that are connected ask for fewer at once; those of more have left. */
const mostWaiting = 4_096;
const secretBytes = 32;
/** Marks rows that were copied to here and never served: the next copy may take their place. */
const migratedKey = 'migrated';
/** Key of our advisory lock: the letters "wptd". */
const migrationLock = 0x77707464;

/** A server that vanished with its machine must not hold a row for long, nor a database that hangs a request. */
const patience = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 20_000,
  query_timeout: 25_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  keepAlive: true,
  // Behind a name there may be another server by now.
  maxLifetimeSeconds: 600,
};

/** A minute at most for a connection whose other end is gone; a commit is on the disk when it returns. */
const session =
  '-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4 -c synchronous_commit=on';

const { INT8, NUMERIC } = pg.types.builtins;

/**
 * Opens the rows of an object store in PostgreSQL, made if there are none.
 * @param connectionString `postgres://…`
 * @param hasContents contents are there already: empty rows are never made over lost ones.
 * @throws ObjectsRefused; WaypointError database_unavailable, database_refuses
 */
export async function openPostgresRows(
  connectionString: string,
  hasContents: () => Promise<boolean>,
): Promise<RowsStore> {
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    application_name: 'waypointd',
    options: session,
    ...patience,
    // Sizes and times, which all fit.
    types: {
      getTypeParser: (type, format) =>
        type === INT8 || type === NUMERIC ? Number : pg.types.getTypeParser(type, format),
    },
  });
  // A connection that breaks is replaced by the next query; the query that used it fails, and not the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const rows = new Kysely<ObjectsDb>({ dialect: new PostgresDialect({ pool: guarded(pool) }) });
  try {
    await migrate(rows, hasContents);
  } catch (error) {
    await rows.destroy();
    throw error;
  }
  return {
    rows,
    journal: syncedCommits,
    secret: () => readSecret(rows),
    claim: async () => {
      await rows.deleteFrom('meta').where('key', '=', migratedKey).execute();
    },
    snapshot: (path) => snapshot(rows, path),
    close: () => rows.destroy(),
  };
}

/** One server at a time; all steps or none. */
async function migrate(rows: ObjectRows, hasContents: () => Promise<boolean>): Promise<void> {
  const schema = sql<{ name: unknown }>`SELECT to_regclass('waypointd_schema') AS name`;
  const isNew = (await schema.execute(rows)).rows[0]?.name === null;
  // A bucket may take longer to answer than a transaction may stand idle.
  const isOverContents = isNew && (await hasContents());
  await rows.transaction().execute(async (within) => {
    await sql`SELECT pg_advisory_xact_lock(${migrationLock})`.execute(within);
    await sql`CREATE TABLE IF NOT EXISTS waypointd_schema (version bigint PRIMARY KEY)`.execute(
      within,
    );
    const { rows: found } = await sql<{
      version: number | null;
    }>`SELECT max(version) AS version FROM waypointd_schema`.execute(within);
    const version = found[0]?.version ?? 0;
    if (version === 0 && isOverContents) throw new ObjectsRefused('missing');
    if (version > objectsMigrations.length) throw new ObjectsRefused('newer');
    const place = { kind: 'postgres', schema: within.schema } as const;
    for (const [index, step] of objectsMigrations.entries()) {
      if (index < version) continue;
      for (const query of step(place)) await within.executeQuery(query.compile(within));
      await sql`INSERT INTO waypointd_schema VALUES (${index + 1})`.execute(within);
    }
  });
}

/** Reads the key, or makes it once: of two that make it at the same time, both get the one that was first. */
async function readSecret(rows: ObjectRows): Promise<Uint8Array> {
  const value = randomBytes(secretBytes).toString('base64');
  await rows
    .insertInto('meta')
    .values({ key: 'secret', value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const kept = await rows
    .selectFrom('meta')
    .select('value')
    .where('key', '=', 'secret')
    .executeTakeFirstOrThrow();
  return Buffer.from(kept.value, 'base64');
}

/** Their ids are never given again: tokens name users and repositories by them. */
const numbered = ['users', 'repositories', 'locks'] as const;

/** Has SQLite go on where PostgreSQL was, although the row of the last number may be gone. */
async function copyNumber(from: ObjectRows, to: ObjectRows, name: (typeof numbered)[number]) {
  const last = sql<{ seq: number }>`SELECT last_value AS seq FROM ${sql.table(`${name}_id_seq`)}`;
  const seq = (await last.execute(from)).rows[0]?.seq ?? 0;
  await sql`DELETE FROM sqlite_sequence WHERE name = ${name}`.execute(to);
  await sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${name}, ${seq})`.execute(to);
}

/**
 * Puts all rows of a store, and its key, in place of those that an earlier copy has left here.
 * @throws ObjectsRefused where a server has used what is here.
 */
export async function adoptRows(
  { rows }: RowsStore,
  from: ObjectRows,
  secret: Uint8Array,
): Promise<void> {
  await rows.transaction().execute(async (to) => {
    await sql`SELECT pg_advisory_xact_lock(${migrationLock})`.execute(to);
    const used = await to.selectFrom('repositories').select('id').limit(1).executeTakeFirst();
    const mark = await to.selectFrom('meta').select('key').where('key', '=', migratedKey).execute();
    if (used !== undefined && mark.length === 0) throw new ObjectsRefused('in_use');
    await copyRows(from, to);
    for (const name of numbered) {
      const last = sql<{ seq: number }>`SELECT seq FROM sqlite_sequence WHERE name = ${name}`;
      for (const { seq } of (await last.execute(from)).rows)
        await sql`SELECT setval(pg_get_serial_sequence(${name}, 'id'), ${seq})`.execute(to);
    }
    await to.deleteFrom('meta').where('key', '!=', 'store').execute();
    const value = Buffer.from(secret).toString('base64');
    await to
      .insertInto('meta')
      .values([
        { key: 'secret', value },
        { key: migratedKey, value: 'yes' },
      ])
      .execute();
  });
}

async function snapshot(rows: ObjectRows, path: string): Promise<void> {
  await rm(path, { force: true });
  const options = { path, waitMs: 0, areCommitsSynced: true, hasContents: false };
  using db = closing(openObjectsDatabase(options));
  await rows
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((from) =>
      objectRows(db)
        .transaction()
        .execute(async (to) => {
          await copyRows(from, to);
          for (const name of numbered) await copyNumber(from, to, name);
        }),
    );
}

/**
 * The pool as kysely wants it: each text is prepared once on each connection, faults become WaypointErrors, and a connection that
 * failed, or did not answer, is not used any more.
 */
function guarded(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  return {
    options: {},
    end: () => pool.end(),
    async connect() {
      if (pool.waitingCount >= mostWaiting) throw new WaypointError('database_unavailable', again);
      const client = await pool.connect().catch(rethrow);
      let isBroken = false;
      const query = async (text: string, values: readonly unknown[]) => {
        if (isBroken) throw new WaypointError('database_unavailable', again);
        const isNamed = values.length > 0 && text.length < longestNamed;
        if (isNamed && !names.has(text)) names.set(text, `waypointd_${names.size}`);
        const name = isNamed ? { name: names.get(text)! } : {};
        try {
          return await client.query({ text, values: [...values], ...name });
        } catch (error) {
          isBroken = isAway(error);
          return rethrow(error);
        }
      };
      // Sound: without a cursor in its configuration kysely asks in this way only.
      return { query, release: () => client.release(isBroken) } as unknown as PostgresPoolClient;
    },
  };
}

/** Beyond this are inserts of many rows. */
const longestNamed = 2_000;
const again = { retryAfterSeconds: 5 };

/** Connections refused, broken or ended; too many of them; full disks and read-only standbys. */
const awayStates = /^(?:08|53|57|58|25006)/;
/** A wrong user or password, no such database, no right to it. */
const refusals = /^(?:28|3D000|42501)/;

/** Codes of PostgreSQL have five characters; others come from sockets, or, without a code, from the package. */
function isAway(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  return !/^[0-9A-Z]{5}$/.test(code) || code === 'EPIPE' || awayStates.test(code);
}

function rethrow(cause: unknown): never {
  const code = errorCode(cause) ?? '';
  if (code === '53100') throw new WaypointError('disk_full', { cause });
  // It asks for a password, and the URL has none.
  const isWithoutPassword = cause instanceof Error && cause.message.startsWith('SASL');
  if (refusals.test(code) || isWithoutPassword)
    throw new WaypointError('database_refuses', { cause });
  if (isAway(cause)) throw new WaypointError('database_unavailable', { cause, ...again });
  throw cause;
}
