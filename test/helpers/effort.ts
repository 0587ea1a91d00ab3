/**
 * How often a test that gets surer with repetition repeats itself: `usual` times in `npm test`, more where
 * TEST_EFFORT asks for a multiple (`.ci/run` does).
 */
export function rounds(usual: number): number {
  const effort = Number(process.env['TEST_EFFORT'] ?? '1');
  return Math.max(1, Math.round(usual * (effort > 0 ? effort : 1)));
}
