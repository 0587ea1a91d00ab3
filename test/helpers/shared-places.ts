import test from 'ava';
import type { StorePlaces } from '../../objects/root.ts';
import { postgresPrograms, startPostgres, type Postgres } from './postgres.ts';
import { missingOfSwift, startSwift, type Swift } from './swift.ts';

export interface SharedPlaces {
  readonly postgres: Postgres;
  readonly swift: Swift;
  /** A new database and a new bucket. */
  readonly newPlaces: () => Promise<Required<Pick<StorePlaces, 'database' | 'bucket'>>>;
}

/**
 * Starts PostgreSQL and an S3 API for a test file, which end with it.
 * @param missing a program that the file needs and that is not here.
 * @returns undefined, and a skipped test with the reason, where something cannot be had.
 */
export async function startSharedPlaces(missing?: string): Promise<SharedPlaces | undefined> {
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
  const newPlaces = async () => ({
    database: await postgres.newDatabase(),
    bucket: await swift.newBucket(),
  });
  return { postgres, swift, newPlaces };
}
