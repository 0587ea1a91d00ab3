/**
 * `npm run build`: makes `dist/`, which is what is published and what `npm start` runs. The program is bundled, because
 * loading hundreds of files is most of a start; the client stays plain modules, which browsers load as they are.
 * With `--if-newer` nothing is done where `dist/` is newer than all that it was made of.
 */
import '../geodata/build/ensure.ts';
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isFresh } from '../bin/launcher.js';
import { packageUrl } from '../model/program-files.ts';
import { licenceTexts, packageOf } from './licences.ts';

/** Programs, and the modules that threads start with: each becomes a file of its own, by its name. */
const entryPoints = [
  'cli/main.ts',
  'cli/authenticate-main.ts',
  'daemon/location/geoclue-thread.ts',
  'worker/*tasks.ts',
];
/** What npm installs beside the bundle: native code, and what looks for files beside itself. */
const external = ['better-sqlite3', 'piscina'];
/** Packages in CommonJS load the modules of Node.js with a `require` that ES modules lack. */
const banner =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";
/** What changes the bundle without being in it. */
const alsoInputs = ['package-lock.json', 'build/bundle.ts', 'build/licences.ts'];
/** `.npmrc` has `npm pack` write there: it fails before a build, as it runs none of our scripts. */
const packed = 'dist/made-by-npm-run-build';

const root = fileURLToPath(packageUrl);
process.chdir(root);
if (!process.argv.includes('--if-newer') || !isFresh()) await build();

async function build(): Promise<void> {
  const begin = new Date();
  rmSync('dist', { recursive: true, force: true });
  const [files] = await Promise.all([bundleProgram(), compileClient()]);
  const folders = new Set(files.map(packageOf).filter((folder) => folder !== undefined));
  writeFileSync('dist/THIRD-PARTY-LICENSES', licenceTexts(root, folders));
  mkdirSync(packed);
  // The launcher's measure of freshness. Its time is that of the begin: what was changed since may not be in the bundle.
  const inputs = [...files.filter((file) => packageOf(file) === undefined), ...alsoInputs];
  writeFileSync('dist/inputs.json', JSON.stringify(inputs));
  utimesSync('dist/inputs.json', begin, begin);
}

/** Gives the files that are in the bundle, relative to the root. */
async function bundleProgram(): Promise<string[]> {
  // Half a second of loading that is not needed as a rule.
  const { build: bundle } = await import('esbuild');
  const { metafile } = await bundle({
    entryPoints,
    external,
    banner: { js: banner },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    outdir: 'dist',
    outbase: '.',
    // One folder below dist, where model/program-files.ts expects itself.
    chunkNames: 'chunks/[name]-[hash]',
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}

/** The modules and types that package.json exports. */
async function compileClient(): Promise<void> {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json']);
}
