import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { isLookedInto, promisedFormat } from '../../../model/recorder-formats.ts';
import { shellWord } from '../../terminal/invocation.ts';

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

/** What to do about files of one format. */
export interface ConversionHint {
  readonly sentence: string;
  readonly command: string;
}

/**
 * What to do about files that are not read but could become GPX: for each format seen, a command that works as printed
 * and puts the GPX files beside the others, where no file is.
 * @param files relative to `dir`, with `/`.
 */
export function conversionHints(dir: string, files: readonly string[]): ConversionHint[] {
  const hints: ConversionHint[] = [];
  for (const [ending, found] of groupByEnding(files)) {
    const format = formats[ending];
    if (format === undefined) continue;
    const [first = ''] = found;
    const command =
      found.length === 1 || process.platform === 'win32'
        ? convertOne(format, join(dir, first))
        : convertAll(format, dir, ending, found);
    hints.push({ sentence: `${format.label} files become GPX with gpsbabel:`, command });
  }
  return hints;
}

/** The name of the format, not GPX, that an ending such as `.kml` promises. */
export function otherFormat(ending: string): string | undefined {
  const label = formats[ending]?.label ?? promisedFormat(ending)?.toUpperCase();
  return label ?? (isLookedInto(ending) ? 'an archive' : undefined);
}

function groupByEnding(files: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const ending = extname(file).toLowerCase();
    groups.set(ending, [...(groups.get(ending) ?? []), file]);
  }
  return groups;
}

function convertOne({ gpsbabel }: OtherFormat, file: string): string {
  const target = freeName(file);
  return `gpsbabel -w -t -i ${gpsbabel} -f ${shellWord(file)} -o gpx -F ${shellWord(target)}`;
}

/** Behind the whole name, which no two files share; gpsbabel would write over a file that is there. */
function freeName(file: string): string {
  let name = `${file}.gpx`;
  for (let number = 2; existsSync(name); number += 1) name = `${file} ${number}.gpx`;
  return name;
}

/** What was converted before is left out: gpsbabel would write over it. */
function convertAll(
  { gpsbabel }: OtherFormat,
  dir: string,
  ending: string,
  files: readonly string[],
): string {
  const depth = files.some((file) => file.includes('/')) ? '' : ' -maxdepth 1';
  const one = `[ -e "$1.gpx" ] || gpsbabel -w -t -i ${gpsbabel} -f "$1" -o gpx -F "$1.gpx"`;
  return `find ${shellWord(dir)}${depth} -iname '*${ending}' -exec sh -c '${one}' _ {} \\;`;
}
