/** The npm package: its documents lead to what is in it, say how it is had, and it is not made without its build. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { posix } from './helpers/where.ts';

const root = path.join(import.meta.dirname, '..');
const { files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly files: readonly string[];
};
/** npm packs these whatever the list says. */
const always = ['README.md', 'package.json', 'LICENSE'];

function isPacked(file: string): boolean {
  const listed = (pattern: string): boolean =>
    file === pattern || file.startsWith(`${pattern}/`) || path.posix.matchesGlob(file, pattern);
  return always.includes(file) || files.filter((pattern) => !pattern.startsWith('!')).some(listed);
}

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

function filesLike(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: ['node_modules', 'dist'] }).map((file) =>
    file.split(path.sep).join('/'),
  );
}

function linksOf(document: string): string[] {
  const text = read(document).replaceAll(/```[\s\S]*?```/gu, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^(?:[a-z]+:|#)/u.test(target))
    .map((target) => path.posix.join(path.posix.dirname(document), target.replace(/#.*$/u, '')));
}

test('every link of a packed document leads to a packed file', (t) => {
  const documents = filesLike('**/*.md').filter(isPacked);
  t.true(documents.length > 10);
  const dead = documents.flatMap((document) =>
    linksOf(document)
      .filter((target) => !existsSync(path.join(root, target)) || !isPacked(target))
      .map((target) => `${document}: ${target}`),
  );
  t.deepEqual(dead, []);
});

test('nothing says to install waypointd by its name, which no registry knows', (t) => {
  const byName = /npm (?:install|i|add|exec)\b[^\n`"']* waypointd(?![-\w]*[./])/gu;
  t.is('npm install -g waypointd, npm i -g ./waypointd-0.1.0.tgz'.match(byName)?.length, 1);
  const files = filesLike('**/*.md', '{bin,cli,client,daemon,examples,service-files}/**/*.{ts,js}');
  t.true(files.length > 100);
  t.deepEqual(
    files.flatMap((file) => (read(file).match(byName) ?? []).map((said) => `${file}: ${said}`)),
    [],
  );
});

test('the tests that docs/reliability.md names for what was found once are there', (t) => {
  const [, table = ''] =
    /\n## Found once.*?\n\n((?:\|.*\n)+)/su.exec(read('docs/reliability.md')) ?? [];
  const named = table.split('\n').flatMap((row) => {
    let file: string | undefined;
    return (row.split(' | ')[1] ?? '').split('; ').flatMap((test) => {
      const [, told, title = ''] = /^(?:([-/\w]+): )?(.*?)(?: ?….*)?$/u.exec(test) ?? [];
      file = told ?? file;
      return file === undefined ? [] : [{ file: `test/${file}.test.ts`, title }];
    });
  });
  t.true(named.length > 60);
  const isThere = (file: string, title: string): boolean =>
    existsSync(path.join(root, file)) && read(file).replaceAll("\\'", "'").includes(title);
  t.deepEqual(
    named.filter(({ file, title }) => !isThere(file, title)),
    [],
  );
});

test('docs/geodata.md gives a build the time that the program announces', (t) => {
  const files = ['docs/geodata.md', 'geodata/build/ensure-generation.ts'];
  const told = files.map((file) => /\b(\w+) seconds/u.exec(read(file))?.[1]);
  t.deepEqual(told, ['ten', 'ten']);
});

posix('npm pack without a build fails, and says what to do', (t) => {
  const clone = temporaryDirectory(t);
  for (const name of ['package.json', '.npmrc'])
    cpSync(path.join(root, name), path.join(clone, name));
  // npm hands its settings on to scripts, such as the one that runs this test.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_/iu.test(name)),
  );
  const { status, stderr } = spawnSync('npm', ['pack', '--cache', path.join(clone, 'cache')], {
    cwd: clone,
    env,
    encoding: 'utf8',
  });
  t.not(status, 0);
  t.regex(stderr, /run-npm-run-build-before-npm-pack/u);
  t.false(readdirSync(clone).some((name) => name.endsWith('.tgz')));
});
