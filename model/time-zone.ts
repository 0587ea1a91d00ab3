/** The value of `time_zone` for the zone of each position. */
export const localTimeZone = 'local';

/** Whether days can be counted by a name: `UTC`, `local` or that of an IANA zone. */
export function isTimeZone(name: string): boolean {
  if (name === localTimeZone) return true;
  // An offset is no zone: it has no rules.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
