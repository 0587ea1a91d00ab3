/** The middle of some figures (the mean of the two in the middle); NaN for none. */
export function median(figures: readonly number[]): number {
  return (quantile(figures, 0.5, Math.floor) + quantile(figures, 0.5, Math.ceil)) / 2;
}

/** The figure that the given share (0…1) of all figures does not exceed; NaN for none. */
export function percentile(figures: readonly number[], share: number): number {
  return quantile(figures, share, Math.ceil);
}

/** The median of what was measured; undefined when nothing could be (no /proc on this system). */
export function medianOf(figures: readonly (number | undefined)[]): number | undefined {
  const measured = figures.filter((figure) => figure !== undefined);
  return measured.length === 0 ? undefined : median(measured);
}

function quantile(
  figures: readonly number[],
  share: number,
  round: (at: number) => number,
): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[round(share * (sorted.length - 1))] ?? Number.NaN;
}
