import { builtin, GenerationFiles, isIntact } from '../../geodata/generation-files.ts';
import type { GenerationReference } from '../../model/geodata.ts';
import { geodataRemedy } from '../terminal/invocation.ts';
import { findingsOf, type Finding } from './finding.ts';

const { ok, warning, problem } = findingsOf('geodata');
/** No file tells the hash that it should have. */
const unchecked = 'can be read; its hash is not known here';

/** Reads the generation that is to be in use, and the one that comes with the program, and compares their hashes. */
export async function checkGeodata(directory: string): Promise<Finding[]> {
  const files = new GenerationFiles(directory);
  const pointer = await files.readPointer();
  const own = await checkGeneration(files, builtin);
  const builtinFinding =
    own === undefined || own === unchecked
      ? ok(`The builtin generation ${own ?? 'is whole'}`)
      : problem(`The builtin generation ${own}: timelines name no places`, geodataRemedy());
  if (pointer === undefined) return [builtinFinding];
  if (pointer === 'damaged') {
    return [
      warning(
        'The file that says which generation is in use is damaged: the builtin one is used',
        'Install the other one again: waypointd geodata list',
      ),
      builtinFinding,
    ];
  }
  const fault = await checkGeneration(files, pointer);
  if (fault === undefined || fault === unchecked) {
    return [ok(`The generation ${pointer.id} ${fault ?? 'is whole'}`)];
  }
  return [
    warning(
      `The generation ${pointer.id} ${fault}: another one is used in its place`,
      'Install it again: waypointd geodata list',
    ),
    builtinFinding,
  ];
}

/** The fault of a generation, as the end of a sentence. */
async function checkGeneration(
  files: GenerationFiles,
  reference: GenerationReference,
): Promise<string | undefined> {
  const generation = files.inspect(reference);
  if (generation === undefined) return 'is missing, damaged or of an unknown format';
  const isGood = await isIntact(generation);
  if (isGood === undefined) return unchecked;
  return isGood ? undefined : 'is damaged: its hash is not what it should be';
}
