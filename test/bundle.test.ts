/** What `npm run build` adds: places in the sources, and licences. The rest is what every test of the command line runs. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { build } from 'esbuild';
import { licenceTexts, packageOf } from '../build/licences.ts';
import { sourcePlace } from '../daemon/source-places.ts';
import { describeError, nameSources } from '../model/error-description.ts';
import { packageUrl, threadModule } from '../model/program-files.ts';
import { temporaryDirectory } from './helpers/daemon.ts';

test('a place in the bundle is found in the sources', async (t) => {
  const directory = temporaryDirectory(t);
  const source = join(directory, 'thrower.ts');
  writeFileSync(
    source,
    '// one\n// two\nexport function thrower(): never {\n  throw new Error();\n}\n',
  );
  const outfile = join(directory, 'dist', 'chunks', 'made.js');
  await build({ entryPoints: [source], outfile, sourcemap: 'linked', sourcesContent: false });
  const url = pathToFileURL(outfile).href;
  t.deepEqual(sourcePlace(url, 2, 3), [pathToFileURL(source).href, 4]);
  t.is(sourcePlace(pathToFileURL(source).href, 2, 3), undefined);
});

test.serial('descriptions of errors name sources where the bundle runs', (t) => {
  const error = new Error('secret');
  const chunk = new URL('dist/chunks/made-1.js', packageUrl).href;
  const foreign = new URL('node_modules/koa/index.js', packageUrl).href;
  const frames = [`x (${chunk}:10:3)`, `${foreign}:1:1`, `${chunk}:11:3`];
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

test('threads start with sources here, or with what was just built of them', (t) => {
  const { pathname: root } = packageUrl;
  delete process.env['WAYPOINT_BUILT_THREADS'];
  t.is(threadModule('worker/tasks').pathname, `${root}worker/tasks.ts`);
  process.env['WAYPOINT_BUILT_THREADS'] = '1';
  t.is(threadModule('worker/tasks').pathname, `${root}dist/threads/tasks.js`);
  t.is(threadModule('worker/../test/own').pathname, `${root}test/own.ts`);
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
  t.is(
    licenceTexts(root, [said, told]),
    `@scope/told 1.0.0, ISC\n\nDo as you like.\n\n${'-'.repeat(80)}\n\nsaid 1.0.0, MIT, by A. Author\n`,
  );
  const silent = add('silent', {});
  t.throws(() => licenceTexts(root, [silent]), { message: 'silent has no licence.' });
});
