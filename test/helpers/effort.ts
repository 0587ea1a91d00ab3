/** Of the usual repetitions, how many a plain `npm test` does: two minutes for all tests. */
const plain = 0.25;

/**
 * How often a test that gets surer with repetition repeats itself: `usual` times with TEST_EFFORT=1, more where that asks
 * for a multiple (`.ci/run` does), and a part of that, from the same seeds, in a plain `npm test`.
 * @param least below which it would show nothing
 */
export function rounds(usual: number, least = 1): number {
  const effort = Number(process.env['TEST_EFFORT'] ?? plain);
  return Math.max(least, Math.round(usual * (effort > 0 ? effort : plain)));
}
