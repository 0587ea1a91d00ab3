/** Tells the number of a change, by which it can be taken back; no header where nothing was changed. */
export function changeHeader(change: number | undefined): Record<string, string> {
  return change === undefined ? {} : { 'X-Change-Id': String(change) };
}
