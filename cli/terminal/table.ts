/** A column of a table on a terminal. */
export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** May be cut when the line is too long for the terminal. */
  readonly canShrink?: boolean;
}

/** Columns with the width of each, in terminal cells. */
export interface TableLayout {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
  /** Whether longer cells are cut; otherwise they push the rest of their line to the right. */
  readonly isCut: boolean;
}

const gap = '  ';
const narrowest = 8;
/** One very long name must not push the columns of a piped table out of sight. */
const widestPiped = 48;
/** Made when it is needed: it takes 10 ms. */
let graphemes: Intl.Segmenter | undefined;
const plainAscii = /^[\x20-\x7E]*$/u;
/** What terminals draw in two cells: emoji and the wide and full-width forms of Unicode's annex 11. */
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3001-\u303E\uFF01-\uFF60\uFFE0-\uFFE6])|\uFE0F/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
/** Control characters could move the cursor, and direction marks reorder the whole line. */
const unsafe = /[\p{Cc}\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Counts the terminal cells a text takes. */
export function displayWidth(text: string): number {
  if (plainAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of splitGraphemes(text)) width += cells(segment);
  return width;
}

function splitGraphemes(text: string): Iterable<{ segment: string }> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return graphemes.segment(text);
}

function cells(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** Makes a text of a file or of the store harmless to a terminal. */
export function forTerminal(text: string): string {
  return text.replace(unsafe, '\uFFFD');
}

/** Cuts a text to at most `width` cells, ending in `…` when something is missing. */
export function fitWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let fitted = '';
  let used = 1; // The cell of the ellipsis.
  for (const { segment } of splitGraphemes(text)) {
    used += cells(segment);
    if (used > width) break;
    fitted += segment;
  }
  return `${fitted}…`;
}

/** Breaks a text at its blanks into lines of at most `width` cells, longer words alone excepted. */
export function wrapText(text: string, width: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && displayWidth(longer) > width) lines.push(word);
    else lines.splice(-1, 1, longer);
  }
  return lines.join('\n');
}

/**
 * Chooses the widths of a table's columns for these rows.
 * @param maxWidth the terminal's cells: columns that allow it are shrunk until a line fits. Without a terminal nothing
 * is cut.
 */
export function layOut(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  maxWidth: number | undefined,
): TableLayout {
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

/** The titles of a table as its first line. */
export function titleLine(layout: TableLayout): string {
  return tableLine(
    layout,
    layout.columns.map(({ title }) => title),
  );
}

/** One row of a table. */
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
