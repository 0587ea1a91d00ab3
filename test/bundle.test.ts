/** What `npm run build` adds: places in the sources, and licences. The rest is what every test of the command line runs. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import test from 'ava';
import { build } from 'esbuild';
import { withPackages } from '../build/bom.ts';
import { licenceTexts, packageOf } from '../build/licences.ts';
import { manPage } from '../build/man-page.ts';
import { allCommands } from '../cli/commands/all.ts';
import { buildProgram } from '../cli/program/program.ts';
import { sourcePlace } from '../daemon/source-places.ts';
import { describeError, nameSources } from '../model/error-description.ts';
import { packageUrl } from '../model/program-files.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

test('a place in the bundle is found in the sources', async (t) => {
  const directory = temporaryDirectory(t);
  const source = join(directory, 'thrower.ts');
  writeFileSync(
    source,
    '// one\n// two\nexport function thrower(): never {\n  throw new Error();\n}\n',
  );
  const outfile = join(directory, 'dist', 'chunks', 'made.js');
  const written = { sourcemap: 'linked', sourcesContent: false, tsconfigRaw: {} } as const;
  await build({ entryPoints: [source], outfile, ...written });
  const url = pathToFileURL(outfile).href;
  t.deepEqual(sourcePlace(url, 2, 3), [pathToFileURL(source).href, 4]);
  t.is(sourcePlace(pathToFileURL(source).href, 2, 3), undefined);
});

test.serial('descriptions of errors name sources where the bundle runs', (t) => {
  const error = new Error('secret');
  const chunk = new URL('dist/chunks/made-1.js', packageUrl).href;
  const foreign = new URL('node_modules/koa/index.js', packageUrl).href;
  // A CommonJS bundle stands in a stack by its path.
  const frames = [`x (${fileURLToPath(chunk)}:10:3)`, `${foreign}:1:1`, `${chunk}:11:3`];
  error.stack = `Error: secret\n${frames.map((frame) => `    at ${frame}`).join('\n')}`;
  t.teardown(() => nameSources(() => undefined));
  nameSources((_url, line) =>
    line === 10 ? [new URL('http/guard.ts', packageUrl).href, 7] : undefined,
  );
  t.is(describeError(error)['at'], 'http/guard.ts:7 < dist/chunks/made-1.js:11');
});

test('npm installs only what the bundle leaves out, and zod for the types of the client', (t) => {
  const text = readFileSync(new URL('package.json', packageUrl), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: object };
  t.deepEqual(Object.keys(dependencies), ['better-sqlite3', 'piscina', 'zod']);
});

test('each bundled package is named with its licence, and one without is refused', (t) => {
  const root = temporaryDirectory(t);
  const add = (name: string, manifest: object): string => {
    const folder = `node_modules/${name}`;
    mkdirSync(join(root, folder), { recursive: true });
    const text = JSON.stringify({ name, version: '1.0.0', ...manifest });
    writeFileSync(join(root, folder, 'package.json'), text);
    return folder;
  };
  const said = add('said', { license: 'MIT', author: { name: 'A. Author' } });
  const told = add('@scope/told', { license: 'ISC' });
  writeFileSync(join(root, told, 'LICENSE.md'), 'Do as you like.\n');
  t.is(packageOf(`${told}/lib/a.js`), told);
  t.is(packageOf(`${told}/node_modules/b/c.js`), `${told}/node_modules/b`);
  t.is(packageOf('model/a.ts'), undefined);
  const [, ...ours] = readFileSync(new URL('LICENSE', packageUrl), 'utf8')
    .trim()
    .split(/^Copyright.*$/mu);
  const mit = `said 1.0.0, MIT, by A. Author\n\nMIT License\n\nCopyright (c) A. Author${ours.join('')}`;
  t.is(
    licenceTexts(root, [said, told]),
    `@scope/told 1.0.0, ISC\n\nDo as you like.\n\n${'-'.repeat(80)}\n\n${mit}\n`,
  );
  const other = add('other', { license: 'ISC' });
  t.throws(() => licenceTexts(root, [other]), { message: 'other ships no text of ISC.' });
  const silent = add('silent', {});
  t.throws(() => licenceTexts(root, [silent]), { message: 'silent has no licence.' });
});

test('the manual page has every command, and says nothing that roff takes for a request', async (t) => {
  const program = await buildProgram(allCommands);
  const page = manPage(program, '1.2.3');
  t.true(page.startsWith('.TH WAYPOINTD 1 "" "waypointd 1.2.3"'));
  for (const command of program.createHelp().visibleCommands(program))
    t.regex(page, new RegExp(`^\\.SS ${command.name()}`, 'mu'));
  const requests = page.split('\n').filter((line) => /^[.']/u.test(line));
  t.deepEqual([...new Set(requests.map((line) => line.split(' ', 1).join()))].toSorted(), [
    '.B',
    '.I',
    '.SH',
    '.SS',
    '.TH',
    '.TP',
  ]);
});

test('the list of packages keeps what is shipped, and refuses one that npm does not know', (t) => {
  const bom = {
    metadata: { component: { 'bom-ref': 'us@1' } },
    components: ['a', 'b'].map((name) => ({ 'bom-ref': `${name}@1`, name, version: '1' })),
    dependencies: [
      { ref: 'us@1', dependsOn: ['a@1', 'b@1'] },
      { ref: 'b@1', dependsOn: ['a@1'] },
    ],
  };
  const kept = withPackages(bom, ['a@1']);
  t.deepEqual(kept.components, [{ 'bom-ref': 'a@1', name: 'a', version: '1' }]);
  t.deepEqual(kept.dependencies, [{ ref: 'us@1', dependsOn: ['a@1'] }]);
  t.throws(() => withPackages(bom, ['c@1']), { message: 'not in the list of npm: c@1' });
});
