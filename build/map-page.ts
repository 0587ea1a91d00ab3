import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { closeUps } from './basemap.ts';

/** Where the page of the map is built, relative to the root; each file as `NAME.gz`. */
const target = 'dist/map';
/** The page's own files. */
const pageFiles = ['main.ts', 'style.css', 'index.html', 'icon.svg'];
/** MapLibre's worker: a file beside the page, as the policy of its server requires. */
const worker = { in: 'maplibre-gl/dist/maplibre-gl-worker.mjs', out: 'map-worker' };
const basemap = 'map/basemap';

/** Bundles the page of the map for browsers. @returns the files that it is made of, relative to the root. */
export async function bundleMapPage(): Promise<string[]> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: [
      ...pageFiles.map((name) => ({ in: `map/page/${name}`, out: basename(name, extname(name)) })),
      worker,
    ],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    outdir: target,
    loader: { '.html': 'copy', '.svg': 'copy' },
    minify: true,
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  for (const { path, contents } of outputFiles) pack(join(target, basename(path)), contents);
  const data = readdirSync(basemap)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(basemap, name));
  for (const file of data) pack(join(target, 'basemap', basename(file)), readFileSync(file));
  for (const [name, text] of Object.entries(closeUps())) {
    pack(join(target, 'basemap', name), Buffer.from(text));
  }
  return [...Object.keys(metafile.inputs), ...data];
}

function pack(file: string, content: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  const level = constants.Z_BEST_COMPRESSION;
  writeFileSync(`${file}.gz`, gzipSync(content, { level }));
}
