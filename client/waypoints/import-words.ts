/** The sum of several imports, and what is said of it: the command line and the page share these sentences. */
import { emptyImport } from '../../model/empty-import.ts';
import type { EmptyReason, FailureReason, ImportResult } from '../../model/import.ts';
import { formatNames } from '../../model/recorder-formats.ts';
import { counted, dateOf } from '../../model/text.ts';

/** The sum of several imports; lists hold `dir` joined with the file. */
export type ImportSum = Omit<ImportResult, 'dir'> & {
  /** The answers it was made of, in the order of the requests. */
  readonly results: readonly ImportResult[];
};

/** A sentence about some files, and a line for each. */
export interface Finding {
  readonly title: string;
  readonly lines: readonly string[];
  /** A hint that the command line adds: the flag that does otherwise. */
  readonly flag?: string;
}

type Salvaged = ImportResult['salvaged'][number];

export const failureSentences: Readonly<Record<FailureReason, string>> = {
  empty: 'the file is empty',
  truncated: 'it ends in the middle, as if cut off',
  not_xml: 'it is not well-formed XML',
  not_gpx: 'it is XML but not GPX',
  too_deep: 'its elements, or the folders around it, are nested too deeply',
  entities: 'it declares entities of its own, which is refused for safety',
  encoding: 'its characters are not in the encoding it declares',
  too_large: 'it, or what it holds, is too large or too much',
  unreadable: 'it cannot be read, or its place in the data directory cannot be written',
  changed: 'it changed while it was read; try again',
  too_slow: 'it took too long to read for its size',
  unsupported: 'its content is of no format that is read',
  wrong_format: 'its content is not what its ending says',
  damaged: 'it is damaged: its parts contradict each other',
  not_json: 'it is not well-formed JSON',
  nested: 'it is an archive within an archive',
  unsafe_name: 'its name in the archive leads out of it',
  encrypted: 'it is encrypted',
  packing: 'it is packed by a method that is not read',
};

const emptyReasons: Readonly<Record<EmptyReason, string>> = {
  no_points: 'it has no points',
  unusable_points: 'none of its points has a usable position',
};

/** Adds up the answers of several requests: numbers, and lists of files. */
export function sumResults(results: readonly ImportResult[]): ImportSum {
  const { dir: _, ...nothing } = emptyImport('');
  const counts = fieldsOf(nothing, (zero) => typeof zero === 'number').map((key) => [
    key,
    // An older daemon does not send all of them.
    results.reduce((sum, { [key]: count }) => sum + Number(count ?? 0), 0),
  ]);
  const lists = fieldsOf(nothing, Array.isArray).map((key) => [key, joined(results, key)]);
  const times = results.flatMap(({ first_time, last_time }) => [first_time, last_time]);
  const known = times.filter((time) => time !== undefined).toSorted();
  const [first, last] = [known[0], known.at(-1)];
  const odd = joined(results, 'odd_times') as NonNullable<ImportSum['odd_times']>;
  return {
    ...nothing,
    ...Object.fromEntries(counts),
    ...Object.fromEntries(lists),
    imported: results.some(({ imported }) => imported),
    dedup_count: results.at(-1)?.dedup_count ?? 0,
    ...(first === undefined ? {} : { first_time: first }),
    ...(last === undefined ? {} : { last_time: last }),
    ...(odd.length === 0 ? {} : { odd_times: odd }),
    formats: sumFormats(results),
    ...(results.some(({ planned }) => planned === true) ? { planned: true as const } : {}),
    ...(results.some(({ cancelled }) => cancelled === true) ? { cancelled: true as const } : {}),
    results,
  };
}

type Field = keyof ImportResult;

function fieldsOf(nothing: object, isOfKind: (zero: unknown) => boolean): Field[] {
  const fields = Object.entries(nothing).filter(([, zero]) => isOfKind(zero));
  // Sound: an empty result has fields of a result only.
  return fields.map(([key]) => key as Field);
}

/** The files of a list, each with its directory. */
function joined(results: readonly ImportResult[], key: Field): unknown[] {
  return results.flatMap(({ dir, [key]: files }) =>
    (Array.isArray(files) ? files : []).map((file: string | { readonly file: string }) =>
      typeof file === 'string' ? pathOf(dir, file) : { ...file, file: pathOf(dir, file.file) },
    ),
  );
}

/** As it is: names in archives lead to where nothing is. An absolute path shows which separator its system has. */
function pathOf(dir: string, file: string): string {
  const separator = dir.startsWith('/') ? '/' : '\\';
  return dir === '' || dir.endsWith(separator) ? dir + file : dir + separator + file;
}

function sumFormats(results: readonly ImportResult[]): ImportResult['formats'] {
  const sum: ImportResult['formats'] = {};
  for (const { formats } of results)
    for (const name of formatNames)
      if (formats[name] !== undefined) sum[name] = (sum[name] ?? 0) + formats[name];
  return sum;
}

export function headline(sum: ImportSum): string {
  if (sum.planned === true && sum.files > 0) {
    return `Would import ${counted(sum.observations, 'timed point')}${span(sum)} and ${counted(sum.count, 'waypoint')} from ${counted(sum.files, 'file')}. Nothing was written.`;
  }
  if (sum.files === 0) {
    if (sum.duplicates > 0) {
      return `Nothing new: ${counted(sum.duplicates, 'file was', 'files were')} imported before.`;
    }
    return sum.failed + sum.removed_files.length > 0
      ? 'Nothing was imported.'
      : 'There was no file to import.';
  }
  const points = counted(sum.observations, 'timed point');
  return `Imported ${points}${span(sum)} and ${counted(sum.count, 'waypoint')} from ${counted(sum.files, 'file')}.`;
}

function span({ first_time, last_time, odd_times }: ImportSum): string {
  if (first_time === undefined || last_time === undefined || odd_times !== undefined) return '';
  const [first, last] = [dateOf(first_time), dateOf(last_time)];
  return first === last ? ` of ${first}` : ` from ${first} to ${last}`;
}

/** More about what came in. Only the first has lines below it: they are relative to the library, where names are the same. */
export function details(sum: ImportSum): Finding[] {
  const found: Finding[] = [];
  const add = (title: string, lines: readonly string[] = []) => void found.push({ title, lines });
  const formats = formatNames.filter((name) => sum.formats[name] !== undefined);
  if (formats.length > 1) {
    const shown = formats.map((name) => `${sum.formats[name]?.toLocaleString('en-US')} ${name}`);
    add(`files by format: ${shown.join(', ')}`);
  }
  if (sum.replaced > 0) {
    add(
      `${counted(sum.replaced, 'file')} ${sum.planned === true ? 'would take' : 'took'} the place of an older one of the same name, which is kept for 30 days`,
      sum.results.flatMap(({ replaced_files }) => replaced_files),
    );
  }
  if (sum.files > 0 && sum.duplicates > 0) {
    add(`${counted(sum.duplicates, 'file was', 'files were')} imported before`);
  }
  if (sum.untimed_points > 0) {
    add(
      `${counted(sum.untimed_points, 'point')} without a time: kept, but not among the timed points`,
    );
  }
  if (sum.routes > 0) {
    add(`${counted(sum.routes, 'route')} of ${counted(sum.route_points, 'point')}`);
  }
  if (sum.unusable_points > 0) {
    add(`${counted(sum.unusable_points, 'point')} without a usable position left out`);
  }
  if (sum.hidden > 0) add(`${counted(sum.hidden, 'hidden file')} not looked at`);
  if (sum.files > 0 && sum.planned !== true) {
    add(`${counted(sum.dedup_count, 'waypoint')} in all now`);
  }
  return found;
}

/** The files of which there is more to say than their number. */
export function findings(sum: ImportSum): Finding[] {
  const were = ['file was', 'files were'] as const;
  const omitted = `${counted(sum.failures_omitted, 'more file')} in archives refused and not listed`;
  const removed = finding(sum.removed_files, were, 'removed before and left out', String);
  return [
    ...finding(sum.failures, were, 'refused', ({ file, reason, line }) => {
      const place = line === undefined ? '' : ` (line ${line})`;
      return `${file}: ${failureSentences[reason]}${place}`;
    }),
    ...finding(
      sum.salvaged,
      ['file is', 'files are'],
      'damaged, and imported up to there',
      ({ file, reason, ...damage }) => `${file}: ${failureSentences[reason]} (${placeOf(damage)})`,
    ),
    ...(sum.failures_omitted > 0 ? [{ title: omitted, lines: [] }] : []),
    ...finding(
      sum.unsupported_files,
      ['file', 'files'],
      'skipped: a link, or a format that is not supported',
      String,
    ),
    ...finding(
      sum.renamed_files,
      ['file is', 'files are'],
      'kept beside one of the same name from another folder',
      ({ file, stored_as: as }) => `${file} as ${as}`,
    ),
    ...removed.map((one) => ({ ...one, flag: '--again takes them in' })),
    ...finding(
      sum.without_data,
      ['file contains', 'files contain'],
      'no positions',
      ({ file, reason }) => `${file}: ${emptyReasons[reason]}`,
    ),
    // One wrong clock would make the period of all files read as "from 1234 to 4096".
    ...finding(
      sum.odd_times ?? [],
      ['file has', 'files have'],
      'times that cannot be right',
      ({ file, first_time, last_time }) =>
        `${file}: from ${dateOf(first_time)} to ${dateOf(last_time)}`,
    ),
  ];
}

/** A note on bookmarks in an export of ours: an import makes no bookmarks. Undefined without any. */
export function ownBookmarks(
  { own_bookmarks: count }: ImportSum,
  program: string,
): string | undefined {
  if (count === 0) return undefined;
  const those = counted(count, 'waypoint was a bookmark', 'waypoints were bookmarks');
  return `${those} when exported, and came in as imported ones without their tags. To have bookmarks again, restore a backup, or put the file in the place of bookmarks.gpx (${program} paths).`;
}

function placeOf({ broken_at: byte, line, record }: Omit<Salvaged, 'file' | 'reason'>): string {
  const at = `byte ${byte.toLocaleString('en-US')}`;
  if (line !== undefined) return `line ${line.toLocaleString('en-US')}, ${at}`;
  return record === undefined ? at : `record ${record.toLocaleString('en-US')}, ${at}`;
}

/** One where there are such files, else none. */
function finding<T>(
  items: readonly T[],
  [one, many]: readonly [string, string],
  what: string,
  line: (item: T) => string,
): Finding[] {
  const title = `${counted(items.length, one, many)} ${what}`;
  return items.length === 0 ? [] : [{ title, lines: items.map(line) }];
}
