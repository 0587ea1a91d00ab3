/** The lock file has to install with npm 10, 11 and 12, on every platform, from any registry. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
type Packages = Readonly<Record<string, Entry>>;

const file = path.resolve(import.meta.dirname, '..', 'package-lock.json');
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Packages };

/** npm writes a lock file without the binaries of other platforms if it cannot find them, and later refuses that file. */
function missingOptionals(entries: Packages): string[] {
  const names = new Set(Object.keys(entries).map((place) => place.split('node_modules/').at(-1)));
  return Object.values(entries).flatMap((entry) =>
    Object.keys(entry.optionalDependencies ?? {}).filter((name) => !names.has(name)),
  );
}

/** Paths of packages from a registry: not the root, nor a workspace and the link to it. */
function fromRegistry(entries: Packages): string[] {
  return Object.keys(entries).filter(
    (place) => place.includes('node_modules/') && entries[place]?.link !== true,
  );
}

function withoutSum(entries: Packages): string[] {
  return fromRegistry(entries).filter((place) => !entries[place]?.integrity);
}

function withAddress(entries: Packages): string[] {
  return fromRegistry(entries).filter((place) => entries[place]?.resolved !== undefined);
}

test('the binaries of every platform are in the lock file', (t) => {
  t.deepEqual(missingOptionals(packages), []);
});

test('every package has an integrity sum', (t) => {
  t.deepEqual(withoutSum(packages), []);
});

test("no package has a registry's address", (t) => {
  t.deepEqual(withAddress(packages), []);
});

test('a bad lock file is found out', (t) => {
  const bad: Packages = {
    '': { version: '1.0.0' },
    'node_modules/tool': {
      integrity: 'sha512-x',
      optionalDependencies: { '@tool/linux': '1.0.0', '@tool/mac': '1.0.0' },
    },
    'build/node': {},
    'node_modules/ours': { resolved: 'build/node', link: true },
    'node_modules/tool/node_modules/@tool/linux': { resolved: 'https://registry.example/linux' },
  };
  t.deepEqual(missingOptionals(bad), ['@tool/mac']);
  t.deepEqual(withoutSum(bad), ['node_modules/tool/node_modules/@tool/linux']);
  t.deepEqual(withAddress(bad), ['node_modules/tool/node_modules/@tool/linux']);
});
