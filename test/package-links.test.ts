/** Links of the documents in the npm package: what they lead to is in the package, too. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';

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

function linksOf(document: string): string[] {
  const text = readFileSync(path.join(root, document), 'utf8').replaceAll(/```[\s\S]*?```/gu, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^(?:[a-z]+:|#)/u.test(target))
    .map((target) => path.posix.join(path.posix.dirname(document), target.replace(/#.*$/u, '')));
}

test('every link of a packed document leads to a packed file', (t) => {
  const documents = globSync('**/*.md', { cwd: root, exclude: ['node_modules', 'dist'] })
    .map((file) => file.split(path.sep).join('/'))
    .filter(isPacked);
  t.true(documents.length > 10);
  const dead = documents.flatMap((document) =>
    linksOf(document)
      .filter((target) => !existsSync(path.join(root, target)) || !isPacked(target))
      .map((target) => `${document}: ${target}`),
  );
  t.deepEqual(dead, []);
});
