import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const licenceFile = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const rule = '-'.repeat(80);

/** The folder of the package that a file is from; undefined for a file of ours. */
export function packageOf(file: string): string | undefined {
  return packageFolder.exec(file)?.[0];
}

/** The licence texts of packages, which their licences want to be beside every copy, sorted by name. */
export function licenceTexts(root: string, folders: Iterable<string>): string {
  const texts = Array.from(folders, (folder) => licenceText(join(root, folder)));
  return [...new Set(texts)].toSorted().join(`\n${rule}\n\n`);
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The private workspace that brings a Node.js into clones. */
const nodeWorkspace = 'build/node';

/** Packages that npm installs with ours, as they lie below the root; those for other machines are not there. */
export function installedPackages(root: string): string[] {
  // Sound: npm made it.
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const ofClones = Object.keys(packages[nodeWorkspace]?.optionalDependencies ?? {});
  const folders = Object.keys(packages).filter((folder) => folder.includes('node_modules/'));
  return folders.filter((folder) => {
    const { dev, link } = packages[folder] ?? {};
    if (dev === true || link === true || ofClones.includes(basename(folder))) return false;
    return existsSync(join(root, folder));
  });
}

/** The text of the MIT licence as LICENSE has it, for a package that names it and ships no text. */
function mitOf(holder: string): string {
  const text = readFileSync(new URL('../LICENSE', import.meta.url), 'utf8').trim();
  return text.replace(/^Copyright .*$/mu, `Copyright (c) ${holder}`);
}

/** The text of the 3-clause BSD licence, for a package that names it and ships no text. */
function bsdOf(holder: string): string {
  return `Copyright (c) ${holder}

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following
   disclaimer in the documentation and/or other materials provided with the distribution.
3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or promote products
   derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING,
BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT
SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS
INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING
NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`;
}

const textsOf: Readonly<Record<string, typeof mitOf>> = { MIT: mitOf, 'BSD-3-Clause': bsdOf };

/** The text that a package beside it, of the same publisher and licence, ships: that of Apache 2.0 names no holder. */
function apacheBeside(folder: string): string | undefined {
  const scope = dirname(folder);
  const files = readdirSync(scope).map((name) => join(scope, name, 'LICENSE'));
  const texts = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
  return texts.find((text) => text.includes('Apache License'))?.trim();
}

/** @throws Error for a package that says nothing of a licence, or names one that wants a text and is without. */
function licenceText(folder: string): string {
  // Sound: npm installs nothing without these two.
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
    readonly author?: string | { readonly name: string };
  };
  const { name, version, license, author } = manifest;
  const texts = readdirSync(folder)
    .filter((file) => licenceFile.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0 && license === undefined) throw new Error(`${name} has no licence.`);
  const by = typeof author === 'object' ? author.name : author;
  if (texts.length === 0) {
    const own = textsOf[license ?? '']?.(by ?? `the authors of ${name}`);
    const text = own ?? (license === 'Apache-2.0' ? apacheBeside(folder) : undefined);
    if (text === undefined) throw new Error(`${name} ships no text of ${license}.`);
    texts.push(text);
  }
  const head = [`${name} ${version}`, license, by && `by ${by}`].filter(Boolean).join(', ');
  return `${[head, ...texts].join('\n\n')}\n`;
}
