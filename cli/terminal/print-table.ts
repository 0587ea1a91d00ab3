import { print, terminalWidth } from './output.ts';
import { layOut, tableLine, titleLine, type Column } from './table.ts';

/** A column, and what of a row stands in it. */
export interface TableColumn<Row> extends Column {
  readonly text: (row: Row) => string;
}

/** Prints rows below their titles, the columns as wide as these rows need. */
export async function printTable<Row>(
  columns: readonly TableColumn<Row>[],
  rows: Iterable<Row>,
): Promise<void> {
  const lines = [...rows].map((row) => rowTexts(columns, row));
  const layout = layOut(columns, lines, terminalWidth());
  await print(titleLine(layout));
  for (const line of lines) await print(tableLine(layout, line));
}

/** The cells of one row. */
export function rowTexts<Row>(columns: readonly TableColumn<Row>[], row: Row): string[] {
  return columns.map(({ text }) => text(row));
}
