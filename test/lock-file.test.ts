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

const names = Object.keys(packages);
/** From a registry: not the root, nor a workspace and the link to it. */
const packed = names.filter(
  (place) => place.includes('node_modules/') && packages[place]?.link !== true,
);

/** npm writes a lock file without the binaries of other platforms if it cannot find them, and later refuses that file. */
test('the binaries of every platform are in the lock file', (t) => {
  const there = new Set(names.map((place) => place.split('node_modules/').at(-1)));
  const optional = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  t.true(optional.length > 100 && packed.length > 100);
  t.deepEqual(
    optional.filter((name) => !there.has(name)),
    [],
  );
});

test('every package has an integrity sum', (t) => {
  t.deepEqual(
    packed.filter((place) => !packages[place]?.integrity),
    [],
  );
});

test("no package has a registry's address", (t) => {
  t.deepEqual(
    packed.filter((place) => packages[place]?.resolved !== undefined),
    [],
  );
});
