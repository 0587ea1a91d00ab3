/** Every drawn mutant stands in one copy of the sources, behind a switch that a file flips: one build serves them all. */
import { parseSync } from 'oxc-parser';
import type { Mutant } from './places.ts';

/** A mutant with the number of its switch. */
export interface Switched extends Mutant {
  readonly id: number;
}

const call = '__isMutant';

/**
 * The module that the sources ask, for processes and threads alike: `active` names the mutant that is on, and each mutant
 * whose code is run while none is gets a line in `reached`.
 */
export function switchModule(active: string, reached: string): string {
  return `import { appendFileSync, readFileSync } from 'node:fs';
let active = 0;
try { active = Number(readFileSync(${JSON.stringify(active)}, 'utf8')); } catch {}
const seen = new Set();
export function ${call}(id) {
  if (active === id) return true;
  if (active === 0 && !seen.has(id)) {
    seen.add(id);
    try { appendFileSync(${JSON.stringify(reached)}, id + '\\n'); } catch {}
  }
  return false;
}
`;
}

/** The text of a source with its mutants behind switches. @throws Error where that is no program. */
export function withSwitches(
  file: string,
  text: string,
  mutants: readonly Switched[],
  module: string,
): string {
  let switched = text;
  for (const mutant of mutants.toSorted((a, b) => b.start - a.start)) {
    const { start, end } = mutant;
    switched = switched.slice(0, start) + behindSwitch(mutant, text) + switched.slice(end);
  }
  switched += `\nimport { ${call} } from ${JSON.stringify(module)};\n`;
  const [error] = parseSync(file, switched).errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  return switched;
}

function behindSwitch(
  { id, start, end, replacement, isStatement }: Switched,
  text: string,
): string {
  const own = text.slice(start, end);
  const isOn = `${call}(${id})`;
  if (!isStatement) return `(${isOn} ? (${replacement}) : (${own}))`;
  return `{ if (${isOn}) { ${replacement} } else { ${own} } }`;
}

/** Whether a mutant can stand behind a switch: a number that names a property cannot. */
export function canSwitch(mutant: Mutant, text: string): boolean {
  try {
    withSwitches(mutant.file, text, [{ ...mutant, id: 1 }], './switch.js');
    return true;
  } catch {
    return false;
  }
}
