/** Those that wait for less than this are spread over so many seconds all the same. */
const leastSpread = 4;

/** Seconds after which a client may come back, and up to half as many more: all that are refused now would be back at once. */
export function spread(seconds: number): number {
  return seconds + Math.floor(Math.random() * (Math.max(leastSpread, seconds / 2) + 1));
}
