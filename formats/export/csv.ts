/** One record of RFC 4180. */
export function csvLine(fields: readonly string[]): string {
  const quoted = fields.map((field) =>
    /[",\r\n]/u.test(field) ? `"${field.replaceAll('"', '""')}"` : field,
  );
  return `${quoted.join(',')}\r\n`;
}

/**
 * A spreadsheet runs a text that begins like this as a formula, and a formula can send the other cells, which say where
 * the user was, to a server. Names come from files of strangers; an apostrophe makes them text again.
 */
export function withoutFormula(text: string): string {
  return /^'*[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
}

/** The text that `withoutFormula` has been given. */
export function withFormula(cell: string): string {
  return cell.replace(/^'(?='*[=+\-@\t\r])/u, '');
}
