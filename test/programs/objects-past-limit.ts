/**
 * A program that adds objects to a store until one cannot be added, and prints why as JSON. To be run where files may
 * only have some size. Argument: the database, with a repository 1.
 */
import { toFailure } from '../../model/failure.ts';
import { objectRows } from '../../storage/objects/dialect.ts';
import { objectHoldings } from '../../storage/objects/holdings.ts';
import { openObjectsDatabase } from '../../storage/objects/open.ts';

const [path = ''] = process.argv.slice(2);
const db = openObjectsDatabase({ path, waitMs: 0, areCommitsSynced: false, hasContents: false });
const holdings = objectHoldings(objectRows(db));
const most = 10_000;
let added = 0;
try {
  while (added < most) {
    await holdings.addWithinQuota(1, { oid: `${added}`.padStart(64, '0'), size: 1 }, 0);
    added += 1;
  }
} catch (error) {
  const { code, cause } = toFailure(error);
  const held = await holdings.page(1, '', most);
  const isWhole = held.length === added && !db.inTransaction;
  console.log(JSON.stringify({ code, cause: (cause as { code?: string }).code, isWhole }));
}
