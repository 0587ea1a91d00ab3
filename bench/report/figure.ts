/** Unit of a figure. More is better for rates and shares, less for everything else. */
export type Unit = 'MB/s' | 'of 1' | 'ms' | 's' | 'MB' | 'B' | 'stays';

/** The bar; `of` says whether it holds for the figure or for its ratio. */
export type Bar =
  | { readonly of: 'figure' | 'ratio'; readonly atLeast: number }
  | { readonly of: 'figure' | 'ratio'; readonly atMost: number };

/** The most that a figure may be; no bar where there is no number. */
export function atMost(most: number | undefined): Bar | undefined {
  return most === undefined ? undefined : { of: 'figure', atMost: most };
}

/** The least that a figure may be. */
export function atLeast(least: number): Bar {
  return { of: 'figure', atLeast: least };
}

/** How many times the cost of its baseline a figure may be. */
export function timesAtMost(most: number): Bar {
  return { of: 'ratio', atMost: most };
}

/** How many times better than its baseline a figure must be. */
export function timesAtLeast(least: number): Bar {
  return { of: 'ratio', atLeast: least };
}

/** Baseline of a figure in the same run. */
export interface Baseline {
  readonly name: string;
  readonly value: number | undefined;
  /** Whether the ratio says how often the baseline is beaten (more is better) or how many times its cost we cost. */
  readonly ratio: 'gain' | 'cost';
}

/** One line of the results. */
export interface Figure {
  readonly scenario: string;
  /** Subject: `100,000 waypoints`. */
  readonly subject: string;
  /** Measure: `CPU per request`. */
  readonly what: string;
  readonly unit: Unit;
  /** Undefined where this system cannot measure it. */
  readonly value: number | undefined;
  readonly baseline?: Baseline | undefined;
  readonly bar?: Bar | undefined;
}

const rates: readonly Unit[] = ['MB/s', 'of 1'];

/** The figure against its baseline; undefined when one of them is missing, or nothing to divide by. */
export function ratioOf({ unit, value, baseline }: Figure): number | undefined {
  if (value === undefined || baseline?.value === undefined) return undefined;
  // Zero is below what can be measured: nothing follows from it.
  if (value === 0 || baseline.value === 0) return undefined;
  const isMoreOfUnit = baseline.ratio === 'cost' || rates.includes(unit);
  const ratio = isMoreOfUnit ? value / baseline.value : baseline.value / value;
  return Number.isFinite(ratio) ? ratio : undefined;
}

/** Whether a figure reaches its bar; undefined when it has none or was not measured. */
export function isMet(figure: Figure): boolean | undefined {
  const { bar } = figure;
  if (bar === undefined) return undefined;
  const reached = bar.of === 'ratio' ? ratioOf(figure) : figure.value;
  if (reached === undefined || !Number.isFinite(reached)) return undefined;
  return 'atLeast' in bar ? reached >= bar.atLeast : reached <= bar.atMost;
}
