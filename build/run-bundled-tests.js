/** What ava.config.js has each thread of a test load first: it then takes the test file from the bundle, if it is there. */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { testBundle } from '../bin/launcher.js';

const sources = new URL('../test/', import.meta.url).href;
const bundled = pathToFileURL(`${testBundle}/test/`).href;

const hooks = registerHooks({
  resolve(name, context, next) {
    if (!name.startsWith(sources)) return next(name, context);
    hooks.deregister();
    const file = `${bundled}${name.slice(sources.length, -'ts'.length)}js`;
    return next(existsSync(fileURLToPath(file)) ? file : name, context);
  },
});
