import { note, terminalWidth } from './output.ts';
import { displayWidth, fitWidth, forTerminal } from './text.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** May be cut when the line is too long for the terminal. */
  readonly canShrink?: boolean;
}

/** Columns with the width of each, in terminal cells. */
export type TableLayout = ReturnType<typeof layOut>;

const gap = '  ';
const narrowest = 8;
/** Rows that are still to come are not waited for: the first ones tell how wide the columns are. */
const rowsForLayout = 500;
/** One very long name must not push the columns of a piped table out of sight. */
const widestPiped = 48;

/**
 * Chooses the widths of a table's columns for these rows.
 * @param maxWidth the terminal's cells: columns that allow it are shrunk until a line fits. Without a terminal nothing
 * is cut: longer cells push the rest of their line to the right.
 */
export function layOut(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  maxWidth: number | undefined,
) {
  const widths = columns.map(({ title }, at) =>
    rows.reduce((width, row) => Math.max(width, displayWidth(row[at] ?? '')), title.length),
  );
  if (maxWidth === undefined) {
    const capped = widths.map((width, at) =>
      columns[at]?.canShrink === true ? Math.min(width, widestPiped) : width,
    );
    return { columns, widths: capped, isCut: false };
  }
  let excess = widths.reduce((sum, width) => sum + width + gap.length, -gap.length) - maxWidth;
  while (excess > 0) {
    const at = widestShrinkable(columns, widths);
    if (at === undefined) break;
    widths[at] = (widths[at] ?? 0) - 1;
    excess -= 1;
  }
  return { columns, widths, isCut: true };
}

function widestShrinkable(
  columns: readonly Column[],
  widths: readonly number[],
): number | undefined {
  let widest: number | undefined;
  for (const [at, width] of widths.entries()) {
    if (columns[at]?.canShrink !== true || width <= narrowest) continue;
    if (widest === undefined || width > (widths[widest] ?? 0)) widest = at;
  }
  return widest;
}

export function titleLine(layout: TableLayout): string {
  return tableLine(
    layout,
    layout.columns.map(({ title }) => title),
  );
}

export function tableLine({ columns, widths, isCut }: TableLayout, row: readonly string[]): string {
  const fields = columns.map(({ align, canShrink }, at) => {
    const width = widths[at] ?? 0;
    const text = forTerminal(row[at] ?? '');
    const fitted = isCut && canShrink === true ? fitWidth(text, width) : text;
    const padding = ' '.repeat(Math.max(0, width - displayWidth(fitted)));
    return align === 'right' ? padding + fitted : fitted + padding;
  });
  return fields.join(gap).trimEnd();
}

export interface TableColumn<Row> extends Column {
  readonly text: (row: Row) => string;
}

/**
 * The lines of rows below their titles, the columns as wide as these rows need; of rows that come one by one, as the first
 * need.
 * @param nothing is noted in place of a table without rows
 */
export async function* tableLines<Row>(
  columns: readonly TableColumn<Row>[],
  rows: Iterable<Row> | AsyncIterable<Row>,
  nothing?: string,
): AsyncGenerator<string> {
  const most = Symbol.asyncIterator in rows ? rowsForLayout : Infinity;
  const first: string[][] = [];
  let layout: TableLayout | undefined;
  for await (const row of rows) {
    const line = columns.map(({ text }) => text(row));
    if (layout !== undefined) yield tableLine(layout, line);
    else if (first.push(line) === most) layout = yield* begin();
  }
  if (first.length === 0 && nothing !== undefined) note(nothing);
  else if (layout === undefined) yield* begin();

  function* begin(): Generator<string, TableLayout> {
    const chosen = layOut(columns, first, terminalWidth());
    yield titleLine(chosen);
    for (const line of first) yield tableLine(chosen, line);
    return chosen;
  }
}

/** Prints a line for each label; labels without a text are left out. */
export function labelledLines(
  rows: Iterable<readonly [label: string, text: string | undefined]>,
  width: number,
): string[] {
  return [...rows].flatMap(([label, text]) =>
    text === undefined ? [] : [`${label.padEnd(width)} ${text}`],
  );
}
