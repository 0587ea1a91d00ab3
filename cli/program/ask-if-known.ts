import type { Schema } from '../../model/schema.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';

/** The answer to a GET; undefined of a daemon of another version, which may not know the question. */
export async function askIfKnown<T>(
  client: ApiClient,
  schema: Schema<T>,
  path: string,
): Promise<T | undefined> {
  try {
    return await client.ask(schema, 'GET', path);
  } catch (error) {
    if (error instanceof RequestFailure && error.status === 404) return undefined;
    throw error;
  }
}
