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
import type { BuildOptions } from 'esbuild';
import { bundleMapPage } from './map-page.ts';
import { installedPackages, licenceTexts, packageOf } from './licences.ts';

/** Programs that a launcher starts, and modules that threads start with. */
const entryPoints = [
  'cli/main.ts',
  'cli/authenticate-main.ts',
  'daemon/location/geoclue-thread.ts',
  'worker/*tasks.ts',
];
/** Inputs of the build that are not in the bundle. */
const alsoInputs = [
  'package-lock.json',
  'build/bundle.ts',
  'build/licences.ts',
  'build/map-page.ts',
  'build/basemap.ts',
];
/** `.npmrc` has `npm pack`, which runs none of our scripts, write there: before a build it fails, naming what to do. */
const packed = 'dist/run-npm-run-build-before-npm-pack';

const options: BuildOptions & { metafile: true } = {
  entryPoints,
  bundle: true,
  // ES modules would take a start half as long again: Node.js reads all exports of each module of its own.
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
  define: { 'import.meta.url': 'bundleUrl' },
  platform: 'node',
  target: 'node22',
  // Native code, and what looks for files beside itself: npm installs them.
  external: ['better-sqlite3', 'piscina'],
  outdir: 'dist',
  outbase: '.',
  minify: true,
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
};

const root = fileURLToPath(packageUrl);
process.chdir(root);
if (!process.argv.includes('--if-newer') || !isFresh()) await build();

async function build(): Promise<void> {
  const begin = new Date();
  rmSync('dist', { recursive: true, force: true });
  const [program, page] = await Promise.all([bundleProgram(), bundleMapPage(), compileClient()]);
  const files = [...program, ...page];
  const folders = new Set(files.map(packageOf).filter((folder) => folder !== undefined));
  for (const folder of installedPackages(root)) folders.add(folder);
  writeFileSync('dist/THIRD-PARTY-LICENSES', licenceTexts(root, folders));
  // The input of build/release.ts.
  writeFileSync('dist/packages.json', JSON.stringify([...folders].toSorted()));
  mkdirSync(packed);
  // The launcher's measure of freshness. Its time is that of the begin: what was changed since may not be in the bundle.
  const inputs = [...files.filter((file) => packageOf(file) === undefined), ...alsoInputs];
  writeFileSync('dist/inputs.json', JSON.stringify(inputs));
  utimesSync('dist/inputs.json', begin, begin);
}

/** @returns the files that are in the bundle, relative to the root. */
async function bundleProgram(): Promise<string[]> {
  // Loading it takes half a second, which a fresh `dist` does not need.
  const { build: bundle } = await import('esbuild');
  const { metafile } = await bundle(options);
  return Object.keys(metafile.inputs);
}

/** Compiles the modules and types that package.json exports. */
async function compileClient(): Promise<void> {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json']);
}
