import type { Statement } from 'better-sqlite3';
import {
  CompiledQuery,
  Kysely,
  SqliteDialect,
  SqliteDriver,
  type Compilable,
  type DatabaseConnection,
  type DialectAdapter,
  type QueryResult,
  type SqliteDatabase,
} from 'kysely';
import type { Database } from '../database.ts';
import type { ObjectsDb } from './schema.ts';

/** The rows of an object store, or those seen within one of its transactions. */
export type ObjectRows = Kysely<ObjectsDb>;

/** Executes queries on an open database of an object store; one at a time, a transaction whole. */
export function objectRows(db: Database): ObjectRows {
  const dialect = new SqliteDialect({ database: db });
  dialect.createDriver = () => new ImmediateDriver(db);
  return new Kysely<ObjectsDb>({ dialect });
}

/** Does a change. @returns whether there was something to change. */
export async function hasChanged(rows: ObjectRows, change: Compilable): Promise<boolean> {
  const { numAffectedRows = 0n } = await rows.executeQuery(change);
  return numAffectedRows > 0n;
}

/**
 * Builds a query once for each kind of database, to be executed with other values each time: building costs as much as
 * executing. `build` may hand its values to kysely and do nothing else with them.
 */
export function builtOnce<const Values extends readonly unknown[], Row>(
  build: (rows: ObjectRows, ...values: Values) => Compilable<Row>,
): (rows: ObjectRows, ...values: Values) => Promise<QueryResult<Row>> {
  const built = new WeakMap<DialectAdapter, (values: Values) => CompiledQuery<Row>>();
  const compile = (rows: ObjectRows) => {
    const places = Array.from({ length: build.length - 1 }, () => ({}));
    // Sound as long as `build` only hands them on.
    const query = build(rows, ...(places as unknown as Values)).compile();
    const order = query.parameters.map((place) => places.indexOf(place as object));
    return (values: Values) => ({ ...query, parameters: order.map((place) => values[place]) });
  };
  return (rows, ...values) => {
    // One of each root: its transactions have the same.
    const { adapter } = rows.getExecutor();
    const query = built.get(adapter) ?? compile(rows);
    built.set(adapter, query);
    return rows.executeQuery(query(values));
  };
}

/** A transaction that begins as a reader may find at its first write that another process has written since. */
class ImmediateDriver extends SqliteDriver {
  readonly #db: Database;

  constructor(db: Database) {
    super({ database: keepStatements(db) });
    this.#db = db;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // On a full or failing disk SQLite rolls back by itself; another rollback would fail, and hide why.
    if (this.#db.inTransaction) await super.rollbackTransaction(connection);
  }
}

/** Each text is prepared once, a third of what a query costs otherwise. There are as many as this folder has queries. */
function keepStatements(db: Database): SqliteDatabase {
  const statements = new Map<string, Statement>();
  return {
    prepare(sql) {
      const statement = statements.get(sql) ?? db.prepare(sql);
      statements.set(sql, statement);
      return statement;
    },
    close: () => db.close(),
  };
}
