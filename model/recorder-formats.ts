/**
 * The formats of recorder files that are read, and the endings under which they are found in folders; the first is the
 * one that a file without any gets.
 */
const endingsOf = {
  gpx: ['.gpx'],
  fit: ['.fit'],
  google: ['.json'],
  kml: ['.kml'],
  owntracks: ['.rec'],
  tcx: ['.tcx'],
  geojson: ['.geojson', '.json'],
  csv: ['.csv'],
  nmea: ['.nmea'],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

export type FormatName = keyof typeof endingsOf;

// Sound: these are its keys.
export const formatNames = Object.keys(endingsOf) as [FormatName, ...FormatName[]];

/** Endings of files that may hold anything: only their content tells whether one is of a format. */
const vagueEndings: readonly string[] = ['.json', '.csv', '.rec'];
/** Endings of files that hold other files. */
const containerEndings: readonly string[] = ['.zip', '.kmz', '.gz'];

const formatByEnding: ReadonlyMap<string, FormatName> = new Map(
  formatNames.flatMap((name) => endingsOf[name].map((ending) => [ending, name] as const)),
);

/**
 * The format that the ending of a file promises: a broken file, whose content shows none, is refused in the words of that
 * one.
 */
export function promisedFormat(file: string): FormatName | undefined {
  const ending = endingOf(file);
  return vagueEndings.includes(ending) ? undefined : formatByEnding.get(ending);
}

/** Whether a file is looked into when it is found in a folder. */
export function isLookedInto(file: string): boolean {
  const ending = endingOf(file);
  return formatByEnding.has(ending) || containerEndings.includes(ending);
}

/** The usual ending of a format, with its dot. */
export function usualEnding(name: FormatName): string {
  return endingsOf[name][0];
}

function endingOf(file: string): string {
  return file.slice(Math.max(0, file.lastIndexOf('.'))).toLowerCase();
}
