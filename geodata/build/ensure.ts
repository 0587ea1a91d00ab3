/** `npm run geodata`: makes the builtin generation unless it is there and made by what is here. */
import { builtinGeodataPath } from '../generation.ts';
import { buildKey } from './build-key.ts';
import { ensureGeneration } from './ensure-generation.ts';

await ensureGeneration({
  path: builtinGeodataPath(),
  key: buildKey(),
  build: async (path) => {
    // Half a second of loading that is not needed as a rule.
    const { buildGeneration } = await import('./build-generation.ts');
    buildGeneration(path);
  },
  say: (line) => process.stderr.write(`geodata: ${line}\n`),
});
