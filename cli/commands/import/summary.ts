import {
  details,
  findings,
  headline,
  ownBookmarks,
  type Finding,
  type ImportSum,
} from '../../../client/waypoints/import-words.ts';
import { damageReasons } from '../../../formats/refused.ts';
import { invocation } from '../../terminal/invocation.ts';
import { note, printLines } from '../../terminal/output.ts';
import { counted, forTerminal } from '../../terminal/text.ts';

/** A longer list is cut; `--json` has all of it. */
const shownFiles = 20;
/** Files that are edited and imported again are replaced all the time: a few tell which kind it is. */
const shownReplaced = 5;

/** Tells a person what an import did: on standard output what came in, on standard error what did not. */
export async function printSummary(sum: ImportSum): Promise<void> {
  const more = details(sum).flatMap((one) => linesOf(one, shownReplaced));
  await printLines([headline(sum), ...more.map((line) => `  ${line}`)]);
  for (const one of findings(sum)) linesOf(one, shownFiles).forEach(note);
  if (sum.failures.some(({ reason }) => damageReasons.has(reason)))
    note('Of a cut-off or damaged file, --salvage imports what is whole before the damage.');
  const bookmarks = ownBookmarks(sum, invocation());
  if (bookmarks !== undefined) note(bookmarks);
  if (sum.gpx_in_subfolders > 0) {
    const those = counted(sum.gpx_in_subfolders, 'file is', 'files are');
    note(`${those} in sub-folders and not imported; add -r to import them too.`);
  }
}

/** The sentence, the first lines below it, and how many more there are. */
function linesOf({ title, lines, flag }: Finding, most: number): string[] {
  const head = flag === undefined ? title : `${title} (${flag})`;
  if (lines.length === 0) return [head];
  const more = lines.length - most;
  return [
    `${head}:`,
    ...lines.slice(0, most).map((line) => `  ${forTerminal(line)}`),
    ...(more > 0 ? [`  … and ${more.toLocaleString('en-US')} more (--json lists them)`] : []),
  ];
}
