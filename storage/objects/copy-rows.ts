import { sql } from 'kysely';
import type { ObjectRows } from './dialect.ts';
import { storeId } from './rows-store.ts';
import type { ObjectsDb } from './schema.ts';

const pageRows = 1_000;

/** In an order in which each row finds those that it names; with the columns that tell the next page. */
const copied = [
  ['users', ['id']],
  ['repositories', ['id']],
  ['grants', ['user_id', 'repository_id']],
  ['holdings', ['repository_id', 'oid']],
  ['locks', ['id']],
  ['traffic', ['repository_id', 'day']],
] as const satisfies readonly (readonly [keyof ObjectsDb, readonly string[]])[];

/**
 * Puts all rows of one database in place of those of another, with their ids, so that links and logins go on.
 * @param from within one transaction, or of a snapshot, which nothing changes.
 * @param to within one transaction.
 */
export async function copyRows(from: ObjectRows, to: ObjectRows): Promise<void> {
  for (const [name] of copied.toReversed()) await to.deleteFrom(name).execute();
  for (const [name, key] of copied) await copyTable(from, to, name, key);
  await to
    .updateTable('meta')
    .set({ value: await storeId(from) })
    .where('key', '=', 'store')
    .execute();
}

async function copyTable(
  from: ObjectRows,
  to: ObjectRows,
  name: (typeof copied)[number][0],
  key: readonly string[],
): Promise<void> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  for (let after = sql``; ;) {
    const page = sql<Record<string, unknown>>`
      SELECT * FROM ${sql.table(name)} ${after} ORDER BY ${columns} LIMIT ${pageRows}`;
    const { rows } = await page.execute(from);
    // Sums count up again with what is held.
    const values = rows.map((row) => ('objects' in row ? { ...row, bytes: 0, objects: 0 } : row));
    // Sound: the rows are of this very table.
    if (values.length > 0)
      await to
        .insertInto(name)
        .values(values as never)
        .execute();
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    after = sql`WHERE (${columns}) > (${sql.join(key.map((column) => last[column]))})`;
  }
}
