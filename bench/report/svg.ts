/** One line of a chart. */
interface Series {
  readonly title: string;
  /** In order of size, at least one; all figures above zero. */
  readonly points: readonly { readonly size: number; readonly cost: number }[];
}

/** One chart with logarithmic axes. */
export interface Panel {
  readonly title: string;
  readonly x: string;
  /** What is counted upwards, with its unit. */
  readonly y: string;
  /** The first one is drawn strongest; at most as many as there are {@link marks}. */
  readonly series: readonly Series[];
}

/** A range of whole powers of ten, and where its ends are in pixels. */
interface Axis {
  readonly low: number;
  readonly high: number;
  readonly from: number;
  readonly to: number;
}

const perRow = 2;
const [panelWidth, panelHeight] = [440, 300];
const plot = { left: 62, right: 38, top: 62, bottom: 46 };

/** Told apart without colours too. */
const marks: readonly ((x: number, y: number) => string)[] = [
  (x, y) => `<circle cx="${px(x)}" cy="${px(y)}" r="4"/>`,
  (x, y) => `<rect x="${px(x - 3.5)}" y="${px(y - 3.5)}" width="7" height="7"/>`,
  (x, y) => `<path d="M${px(x)} ${px(y - 4.5)}l4.5 8h-9z"/>`,
];

const style = `
svg { font: 12px system-ui, sans-serif; --back: #ffffff; --ink: #1f2328; --soft: #59636e; --grid: #d8dee4;
  --s0: #0969da; --s1: #bc4c00; --s2: #6639ba; }
@media (prefers-color-scheme: dark) {
  svg { --back: #0d1117; --ink: #f0f6fc; --soft: #9198a1; --grid: #30363d; --s0: #58a6ff; --s1: #f0883e; --s2: #bc8cff; }
}
.back { fill: var(--back); } text { fill: var(--soft); } .title { fill: var(--ink); font-size: 14px; font-weight: 600; }
.grid { stroke: var(--grid); fill: none; } .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.s0 { fill: var(--s0); } .s1 { fill: var(--s1); } .s2 { fill: var(--s2); }
.line.s0 { fill: none; stroke: var(--s0); } .line.s1 { fill: none; stroke: var(--s1); }
.line.s2 { fill: none; stroke: var(--s2); } .legend { fill: var(--ink); }
`;

/** Draws charts beside and below each other. The same figures give the same text. */
export function chartsSvg(panels: readonly Panel[]): string {
  const columns = Math.min(perRow, panels.length);
  const [width, height] = [columns * panelWidth, Math.ceil(panels.length / perRow) * panelHeight];
  const drawn = panels.map((panel, i) => {
    const [x, y] = [(i % perRow) * panelWidth, Math.floor(i / perRow) * panelHeight];
    return `<g transform="translate(${x} ${y})">\n${drawPanel(panel)}\n</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(panels.map(({ title }) => title).join('; '))}</title>
<style>${style}</style>
<rect class="back" width="${width}" height="${height}"/>
${drawn.join('\n')}
</svg>
`;
}

function drawPanel({ title, x, y, series }: Panel): string {
  const all = series.flatMap(({ points }) => points);
  const across = axis(
    all.map(({ size }) => size),
    plot.left,
    panelWidth - plot.right,
  );
  const upwards = axis(
    all.map(({ cost }) => cost),
    panelHeight - plot.bottom,
    plot.top,
  );
  const middle = (across.from + across.to) / 2;
  return [
    `<text class="title" x="${plot.left}" y="22">${escaped(title)}</text>`,
    ...legend(series),
    ...powers(across).map((power) => upright(at(across, power), wholeNumber(power), upwards)),
    ...powers(upwards).map((power) => level(at(upwards, power), wholeNumber(power), across)),
    `<text x="${px(middle)}" y="${panelHeight - 8}" text-anchor="middle">${escaped(x)}</text>`,
    `<text x="${plot.left - 6}" y="${plot.top - 10}" text-anchor="end">${escaped(y)}</text>`,
    ...series.map((one, i) => drawSeries(one, i, { across, upwards })).toReversed(),
  ].join('\n');
}

function legend(series: readonly Series[]): string[] {
  let x = plot.left + 8;
  return series.map(({ title }, i) => {
    const drawn = `<g class="s${i}">${marks[i]?.(x, 40) ?? ''}</g><text class="legend" x="${x + 9}" y="44">${escaped(title)}</text>`;
    x += 34 + title.length * 6.6;
    return drawn;
  });
}

function drawSeries(
  { points }: Series,
  i: number,
  { across, upwards }: { readonly across: Axis; readonly upwards: Axis },
): string {
  const places = points.map(({ size, cost }) => [at(across, size), at(upwards, cost)] as const);
  const line = places.map(([x, y]) => `${px(x)},${px(y)}`).join(' ');
  const dots = places.map(([x, y]) => marks[i]?.(x, y) ?? '').join('');
  return `<polyline class="line s${i}" points="${line}"/><g class="s${i}">${dots}</g>`;
}

function upright(x: number, label: string, { from, to }: Axis): string {
  return `<path class="grid" d="M${px(x)} ${from}V${to}"/><text x="${px(x)}" y="${from + 17}" text-anchor="middle">${label}</text>`;
}

function level(y: number, label: string, { from, to }: Axis): string {
  return `<path class="grid" d="M${from} ${px(y)}H${to}"/><text x="${from - 6}" y="${px(y + 4)}" text-anchor="end">${label}</text>`;
}

/** From the power of ten below the least figure to the one above the greatest. */
function axis(figures: readonly number[], from: number, to: number): Axis {
  const low = Math.floor(Math.log10(Math.min(...figures)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...figures))));
  return { low, high, from, to };
}

function at({ low, high, from, to }: Axis, figure: number): number {
  return from + ((Math.log10(figure) - low) / (high - low)) * (to - from);
}

function powers({ low, high }: Axis): number[] {
  return Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
}

function wholeNumber(power: number): string {
  return power < 1 ? String(Number(power.toPrecision(1))) : power.toLocaleString('en');
}

function px(length: number): string {
  return String(Number(length.toFixed(1)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
