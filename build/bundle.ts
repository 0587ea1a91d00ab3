/**
 * `npm run build`: makes `dist/`, which is what is published and what `npm start` runs. The program is bundled, because
 * loading hundreds of files is most of a start; the client stays plain modules, which browsers load as they are.
 * With `--if-newer` nothing is done where `dist/` is newer than all that it was made of.
 */
import '../geodata/build/ensure.ts';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isFresh } from '../bin/launcher.js';
import { packageUrl } from '../model/program-files.ts';
import type { BuildOptions, Plugin } from 'esbuild';
import { bundleMapPage } from './map-page.ts';
import { installedPackages, licenceTexts, packageOf } from './licences.ts';

/** What a launcher starts. */
const programs = ['cli/main.ts', 'cli/authenticate-main.ts'];
/** What threads run. As a program, each is one file, which is loaded sooner than the chunks that it would share. */
const threads = ['daemon/location/geoclue-thread.ts', 'worker/*tasks.ts'];
/** Large packages that few daemons need: one file beside the program, of which each is evaluated when first asked for. */
const apart = [
  '@aws-sdk/client-s3',
  '@aws-sdk/credential-provider-ini',
  '@smithy/signature-v4',
  'chokidar',
  'node-geocoder',
  'pg',
];
const apartFile = 'packages/apart.cjs';
const required = 'required';
const requireApart: Plugin = {
  name: 'packages apart, by require',
  setup(bundler) {
    bundler.onResolve({ filter: /^/ }, ({ path }) =>
      apart.includes(path) ? { path, namespace: required } : undefined,
    );
    bundler.onLoad({ filter: /^/, namespace: required }, ({ path }) => ({
      contents: `module.exports = require('../${apartFile}')['${path}']();`,
    }));
  },
};
/** The types that Koa gives to bodies without one. */
const bodyTypes = ['application/json', 'application/octet-stream', 'text/html', 'text/plain'];
/**
 * Koa loads a table of all media types with their endings, a tenth of a start. Ours name their types in full: of the others
 * only those count whose charset it adds.
 */
function fewMediaTypes(table: string): string {
  const all: Record<string, { readonly charset?: string }> = JSON.parse(table);
  const few = Object.entries(all).filter(
    ([type, { charset }]) => charset !== undefined || bodyTypes.includes(type),
  );
  return `module.exports = ${JSON.stringify(Object.fromEntries(few))};`;
}

/** One other character has V8 take two bytes for each of the program's. esbuild escapes those of strings, and none of this regex. */
function asciiOnly(source: string): string {
  return source.replaceAll(/[‘’‚‛]/g, (quote) => `\\u${quote.charCodeAt(0).toString(16)}`);
}

/** Of packages, by the end of their paths. */
const changedFiles: readonly [RegExp, (text: string) => string][] = [
  [/mime-db[\\/]db\.json$/, fewMediaTypes],
  [/powershell-utils[\\/].*\.js$/, asciiOnly],
  // Who opens a log counts for transports only; to tell, V8 looks for the lines of all the bundle.
  [/pino[\\/]lib[\\/]caller\.js$/, () => 'module.exports = () => [];'],
];
const changeFiles: Plugin = {
  name: 'files changed',
  setup(bundler) {
    for (const [filter, change] of changedFiles) {
      bundler.onLoad({ filter }, ({ path }) => ({ contents: change(readFileSync(path, 'utf8')) }));
    }
  },
};
/** What changes the bundle without being in it. */
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
  // What npm installs beside the bundle: native code, and what looks for files beside itself.
  external: ['better-sqlite3', 'piscina', `../${apartFile}`],
  plugins: [requireApart, changeFiles],
  // As browsers have it: the other one walks the stack, for which V8 counts the lines of all the bundle.
  alias: { depd: 'depd/lib/browser/index.js' },
  bundle: true,
  // An import of a module of Node.js would read its every export, which loads Undici, streams and more.
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  // `import()` would need a loader of its own (bin/bundle.js).
  supported: { 'dynamic-import': false },
  platform: 'node',
  target: 'node24',
  outdir: 'dist',
  outbase: '.',
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
};

/** As bin/bundle.js calls it; a copy of the whole text with these around it would be made at each start. */
const run = {
  banner: { js: '(function (module, require, programUrl) {' },
  define: { 'import.meta.url': 'programUrl' },
  footer: { js: '})' },
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
  // What build/release.ts describes.
  writeFileSync('dist/packages.json', JSON.stringify([...folders].toSorted()));
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
  const results = await Promise.all([
    bundle({ ...options, ...run, entryPoints: programs }),
    bundle({ ...options, ...run, entryPoints: threads, entryNames: 'threads/[name]' }),
    bundle({
      ...options,
      stdin: {
        contents: apart.map((name) => `exports['${name}'] = () => require('${name}');`).join('\n'),
        resolveDir: root,
      },
      plugins: [changeFiles],
      entryNames: 'packages/apart',
    }),
  ]);
  const made = results.flatMap(({ metafile }) => Object.keys(metafile.outputs));
  for (const file of made.filter((name) => name.endsWith('.cjs'))) shareKeys(file);
  const files = new Set(results.flatMap(({ metafile }) => Object.keys(metafile.inputs)));
  return [...files].filter((file) => file !== '<stdin>' && !file.startsWith(`${required}:`));
}

/** One key for the object that esbuild has each module in, as V8 keeps a shape for each other one; places in lines stay. */
function shareKeys(file: string): void {
  const modules = /(?<=__(?:esm|commonJS)\(\{)"[^"]+"(?=\()/g;
  const text = readFileSync(file, 'utf8').replaceAll(modules, ({ length }) => 'm'.padEnd(length));
  writeFileSync(file, text);
}

/** The modules and types that package.json exports. */
async function compileClient(): Promise<void> {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json']);
}
