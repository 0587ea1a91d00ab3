import { isDeepStrictEqual } from 'node:util';
import type { ExecutionContext } from 'ava';

/**
 * `t.deepEqual` for tests that compare thousands of times: its way to a readable difference takes a millisecond even
 * where there is none.
 */
export function expectSame(
  t: ExecutionContext<unknown>,
  actual: unknown,
  expected: unknown,
  message?: string,
): void {
  if (isDeepStrictEqual(actual, expected)) t.pass();
  else t.deepEqual(actual, expected, message);
}
