/** `npm run geodata`: makes the builtin generation unless it is there and made by what is here. */
import { existsSync } from 'node:fs';
import { builtinGeodataPath } from '../generation.ts';
import { buildKey } from './build-key.ts';
import { ensureGeneration } from './ensure-generation.ts';
import { hasInputs } from './inputs.ts';

const path = builtinGeodataPath();

if (hasInputs()) {
  await ensureGeneration({
    path,
    key: buildKey(),
    build: async (file) => {
      // Half a second of loading that is not needed as a rule.
      const { buildGeneration } = await import('./build-generation.ts');
      buildGeneration(file);
    },
    say,
  });
} else if (!existsSync(path)) {
  // The daemon runs without; it must not fail to start because of names.
  say(
    'the packages it is made from are not installed (npm ci without --omit=dev); places have no names',
  );
}

function say(line: string): void {
  process.stderr.write(`geodata: ${line}\n`);
}
