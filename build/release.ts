/** `npm pack` and `npm publish`: adds to `dist/` the manual page and the list of what is in the package (CycloneDX). */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allCommands } from '../cli/commands/all.ts';
import { buildProgram } from '../cli/program/program.ts';
import { packageUrl } from '../model/program-files.ts';
import { manPage } from './man-page.ts';
import { withPackages, type Bom } from './bom.ts';

process.chdir(fileURLToPath(packageUrl));
const { version } = readJson<{ version: string }>('package.json');
const program = await buildProgram(allCommands);
writeFileSync('dist/waypointd.1', manPage(program, version));
const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
// npm is a script on Windows, which only a shell starts.
const npm = process.env['npm_execpath'];
const [command, ...first] = npm === undefined ? ['npm'] : [process.execPath, npm];
const text = execFileSync(command ?? 'npm', [...first, ...words], {
  encoding: 'utf8',
  maxBuffer: 67_108_864,
});
const packages = readJson<string[]>('dist/packages.json').map((folder) => {
  const manifest = readJson<{ name: string; version: string }>(`${folder}/package.json`);
  return `${manifest.name}@${manifest.version}`;
});
const bom = withPackages(JSON.parse(text) as Bom, packages);
writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(bom, undefined, 1)}\n`);

/** Reads JSON of a file that this build has just made. */
function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
