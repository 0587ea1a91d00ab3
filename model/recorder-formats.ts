/**
 * The formats of recorder files that are read, and the endings that promise one. A file is of the format that its content
 * shows; the ending decides where the content shows none, so that a broken file is refused in the words of its format.
 */
const endingsOf = {
  gpx: ['.gpx'],
  fit: ['.fit'],
  google: [],
  kml: ['.kml'],
  owntracks: [],
  tcx: ['.tcx'],
  geojson: ['.geojson'],
  csv: [],
  nmea: ['.nmea'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type FormatName = keyof typeof endingsOf;

// Sound: these are its keys.
export const formatNames = Object.keys(endingsOf) as [FormatName, ...FormatName[]];

/** Endings that may hold one of the formats, or anything else: only the content tells. */
const sharedEndings: readonly string[] = ['.json', '.csv', '.rec'];

const formatByEnding: ReadonlyMap<string, FormatName> = new Map(
  formatNames.flatMap((name) => endingsOf[name].map((ending) => [ending, name] as const)),
);

/** The format that the ending of a file promises. */
export function promisedFormat(file: string): FormatName | undefined {
  return formatByEnding.get(endingOf(file));
}

/** Whether a file is looked into when it is found in a folder. */
export function isLookedInto(file: string): boolean {
  const ending = endingOf(file);
  return formatByEnding.has(ending) || sharedEndings.includes(ending);
}

function endingOf(file: string): string {
  return file.slice(Math.max(0, file.lastIndexOf('.'))).toLowerCase();
}
