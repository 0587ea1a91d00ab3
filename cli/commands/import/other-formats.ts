import { extname } from 'node:path';
import { isLookedInto, promisedFormat } from '../../../model/recorder-formats.ts';
import { findProgram } from '../../terminal/access.ts';

interface OtherFormat {
  readonly label: string;
  /** gpsbabel's name for it (`gpsbabel -^3` lists them). */
  readonly gpsbabel: string;
}

/** Formats that are not read and that gpsbabel turns into GPX, by file ending. */
const formats: Readonly<Record<string, OtherFormat>> = {
  '.igc': { label: 'IGC', gpsbabel: 'igc' },
  '.gdb': { label: 'Garmin MapSource', gpsbabel: 'gdb' },
  '.plt': { label: 'OziExplorer', gpsbabel: 'ozi' },
  '.loc': { label: 'Geocaching', gpsbabel: 'geo' },
  '.itn': { label: 'TomTom', gpsbabel: 'tomtom_itn' },
  '.ov2': { label: 'TomTom', gpsbabel: 'tomtom' },
};

/** What gpsbabel calls the format that the ending of a file promises, if it is one that only gpsbabel reads. */
export function converterOf(file: string): string | undefined {
  return formats[extname(file).toLowerCase()]?.gpsbabel;
}

/** Says what to do about files that are not read but could become GPX; undefined where there is nothing to do. */
export function conversionHint(files: readonly string[]): string | undefined {
  const labels = files.flatMap((file) => formats[extname(file).toLowerCase()]?.label ?? []);
  if (labels.length === 0) return undefined;
  const what = `${[...new Set(labels)].toSorted().join(' and ')} files`;
  return findProgram('gpsbabel') === undefined
    ? `${what} can be imported once gpsbabel is installed: add --convert then.`
    : `gpsbabel is installed and reads ${what}: add --convert to import them, too.`;
}

/** The name of the format, not GPX, that an ending such as `.kml` promises. */
export function otherFormat(ending: string): string | undefined {
  const label = formats[ending]?.label ?? promisedFormat(ending)?.toUpperCase();
  return label ?? (isLookedInto(ending) ? 'an archive' : undefined);
}
