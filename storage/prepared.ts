import type { RunResult } from 'better-sqlite3';
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type QueryExecutorProvider,
} from 'kysely';
import type { Database } from './database.ts';

/** A query that kysely has built, or its `sql` template. */
export interface Query<Row = unknown> {
  compile(provider: QueryExecutorProvider): CompiledQuery<Row>;
}

/** A statement of SQLite; its parameters are those of the function that built its query. */
export interface Prepared<Parameters extends readonly unknown[], Row> {
  run(...parameters: Parameters): RunResult;
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  iterate(...parameters: Parameters): IterableIterator<Row>;
}

/** The rows of a statement. */
export type RowOf<Statement> =
  Statement extends Prepared<readonly unknown[], infer Row> ? Row : never;

/** Where the value of a question mark comes from: a parameter, or a field of one. */
interface Source {
  readonly parameter: number;
  readonly field?: string;
}

const source = Symbol('source');

/** Stands for a value while a query is built. */
class Placeholder {
  readonly [source]: Source;

  constructor(from: Source) {
    this[source] = from;
  }
}

/** Placeholders become question marks; all else is part of the text, so that SQLite plans with it. */
class TextCompiler extends SqliteQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (value instanceof Placeholder) super.appendValue(value);
    else this.appendImmediateValue(value);
  }
}

/** Builds queries over the tables of `Tables`; nothing is executed through it, which costs 20 times a prepared statement. */
export function queryBuilder<Tables>(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new TextCompiler(),
    },
  });
}

const anyTables = queryBuilder<unknown>();

/** The text of a query without parameters. */
export function textOf(query: Query): string {
  return query.compile(anyTables).sql;
}

/**
 * Builds a query and prepares it when it is first asked: most statements of a store are not needed in most runs. `build` gets
 * placeholders in place of values: it may hand them, and their fields, to kysely and do nothing else with them. Values that
 * a user gave come as parameters; every other value becomes part of the text.
 */
export function prepare<const Parameters extends readonly unknown[], Row>(
  db: Database,
  build: (...parameters: Parameters) => Query<Row>,
): Prepared<Parameters, Row> {
  return bound(build, (sql) => db.prepare<unknown[], Row>(sql));
}

/** As {@link prepare}, for a query of one column, whose values take the place of rows. */
export function prepareValue<const Parameters extends readonly unknown[], Row>(
  db: Database,
  build: (...parameters: Parameters) => Query<Row>,
): Prepared<Parameters, Row[keyof Row]> {
  return bound(build, (sql) => db.prepare<unknown[], Row[keyof Row]>(sql).pluck());
}

interface Compiled {
  readonly sql: string;
  readonly sources: readonly Source[];
}

/** By the function that builds it: what is prepared on many connections is built once. */
const compiled = new WeakMap<object, Compiled>();

function compile<Parameters extends readonly unknown[]>(
  build: (...parameters: Parameters) => Query,
): Compiled {
  const known = compiled.get(build);
  if (known !== undefined) return known;
  const placeholders = Array.from({ length: build.length }, (_, parameter) =>
    placeholder(parameter),
  );
  // Sound as long as `build` only hands them on.
  const query = build(...(placeholders as unknown as Parameters)).compile(anyTables);
  const sources = query.parameters.map((value) => (value as Placeholder)[source]);
  const made = { sql: query.sql, sources };
  compiled.set(build, made);
  return made;
}

function placeholder(parameter: number): Placeholder {
  return new Proxy(new Placeholder({ parameter }), {
    get: (whole, field) =>
      typeof field === 'string' ? new Placeholder({ parameter, field }) : Reflect.get(whole, field),
  });
}

/** A statement that is made at its first use, with the values in the order of its question marks. */
function bound<Parameters extends readonly unknown[], Row>(
  build: (...parameters: Parameters) => Query,
  make: (sql: string) => Prepared<readonly unknown[], Row>,
): Prepared<Parameters, Row> {
  let made: Prepared<readonly unknown[], Row> | undefined;
  let sources: readonly Source[] = [];
  let isInOrder = false;
  const statement = (): Prepared<readonly unknown[], Row> => {
    if (made === undefined) {
      const { sql, sources: found } = compile(build);
      [made, sources] = [make(sql), found];
      isInOrder = found.every(
        ({ parameter, field }, at) => parameter === at && field === undefined,
      );
    }
    return made;
  };
  const values = (parameters: readonly unknown[]): readonly unknown[] => {
    if (isInOrder) return parameters;
    return sources.map(({ parameter, field }) => {
      const value = parameters[parameter];
      return field === undefined ? value : (value as Readonly<Record<string, unknown>>)[field];
    });
  };
  // Each value an argument of its own: of a list, better-sqlite3 takes a sixth longer to insert rows.
  return {
    run: (...parameters) => statement().run(...values(parameters)),
    get: (...parameters) => statement().get(...values(parameters)),
    all: (...parameters) => statement().all(...values(parameters)),
    iterate: (...parameters) => statement().iterate(...values(parameters)),
  };
}
