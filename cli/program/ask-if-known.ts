import type { Schema } from '../../model/schema.ts';
import { ApiError, type ApiClient } from '../../daemon/api-client.ts';

/** The answer to a GET; undefined of a daemon of another version, which may not know the question. */
export async function askIfKnown<T>(
  client: ApiClient,
  schema: Schema<T>,
  path: string,
): Promise<T | undefined> {
  try {
    return await client.ask(schema, 'GET', path);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
