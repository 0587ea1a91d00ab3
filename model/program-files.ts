/** This module runs as `.ts` from the sources; `npm run build` makes `.js` of it, in a folder of `dist/`. */
const isSource = import.meta.url.endsWith('.ts');

/** The root directory of this package: a clone, or a folder below `node_modules`. Ends with a slash. */
export const packageUrl = new URL(isSource ? '../' : '../../', import.meta.url);

/**
 * The module that a thread starts with, by the name of its source without the ending: `worker/tasks`. `npm test` starts
 * hundreds of threads, and has them run what it has just built of the sources; threads of tests are not among that.
 */
export function threadModule(name: string): URL {
  const isBuilt =
    !isSource || (process.env['WAYPOINT_BUILT_THREADS'] === '1' && !name.includes('..'));
  const file = !isBuilt ? `${name}.ts` : `dist/threads/${name.split('/').at(-1)}.js`;
  return new URL(file, packageUrl);
}
