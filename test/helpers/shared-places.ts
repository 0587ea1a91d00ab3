import test from 'ava';
import { postgresPrograms, startPostgres } from './postgres.ts';
import { missingOfSwift, startSwift } from './swift.ts';

/**
 * Starts PostgreSQL and an S3 API for a test file, which end with it.
 * @param missing a program that the file needs and that is not here.
 * @returns undefined, and a skipped test with the reason, where something cannot be had.
 */
export async function startSharedPlaces(missing?: string) {
  const programs = postgresPrograms();
  const absent = missing ?? (programs === undefined ? 'postgresql' : missingOfSwift());
  if (absent !== undefined || programs === undefined) {
    test.skip(`servers that share a store (skipped: no ${absent})`, () => {});
    return undefined;
  }
  const [postgres, swift] = await Promise.all([startPostgres(programs), startSwift()]);
  test.after.always(() => {
    swift.close();
    return postgres.close();
  });
  Object.assign(process.env, swift.keys);
  /** A new database and a new bucket. */
  const newPlaces = async () => ({
    database: await postgres.newDatabase(),
    bucket: await swift.newBucket(),
  });
  return { postgres, swift, newPlaces };
}
