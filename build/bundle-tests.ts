/**
 * Bundles the tests and the programs that they start, after the program itself: a test file loads hundreds of sources
 * else, which is most of its time. ava.config.js has the bundle run while it is newer than all that it was made of; a
 * run for coverage, or after a change, takes the sources.
 */
import './bundle.ts';
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isFresh, testBundle } from '../bin/launcher.js';
import type { Plugin } from 'esbuild';
import { packageOf } from './licences.ts';

/** The tests find fixtures, programs and themselves by their places in the sources, and so do the sources they load. */
const sourcePlaces: Plugin = {
  name: 'places of the sources',
  setup(bundler) {
    bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!/import\.meta\.(?:url|dirname)/.test(text)) return undefined;
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { loader: 'ts', contents };
    });
  },
};

/** What changes the bundle without being in it; a folder is newer than the bundle when a file has come or gone. */
const alsoInputs = ['package-lock.json', 'build/bundle-tests.ts', 'test', 'test/programs'];

if (!isFresh(testBundle)) await build();

async function build(): Promise<void> {
  const begin = new Date();
  rmSync(testBundle, { recursive: true, force: true });
  const { build: bundle } = await import('esbuild');
  const { metafile } = await bundle({
    entryPoints: ['test/*.test.ts', 'test/programs/*.ts'],
    // What looks for files beside itself, and ava, which is running already.
    external: ['ava', 'better-sqlite3', 'esbuild', 'piscina'],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [sourcePlaces],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    outdir: testBundle,
    outbase: '.',
    chunkNames: 'chunks/[name]-[hash]',
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  // Without its type Node.js parses each file twice.
  writeFileSync(`${testBundle}/package.json`, '{"type":"module"}');
  const inputs = Object.keys(metafile.inputs).filter((file) => packageOf(file) === undefined);
  const list = `${testBundle}/inputs.json`;
  writeFileSync(list, JSON.stringify([...inputs, ...alsoInputs]));
  utimesSync(list, begin, begin);
}
