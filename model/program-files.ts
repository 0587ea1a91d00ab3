/** This module runs as `.ts` from the sources; `npm run build` makes `.js` of it, in a folder of `dist/`. */
const isSource = import.meta.url.endsWith('.ts');

/** The root directory of this package: a clone, or a folder below `node_modules`. Ends with a slash. */
export const packageUrl = new URL(isSource ? '../' : '../../', import.meta.url);

/** The module that a thread starts with, and the bundle that it runs if it is bin/thread.cjs. */
export interface ThreadStart {
  readonly module: URL;
  readonly workerData?: string;
}

/**
 * How a thread starts, by the name of its source without the ending: `worker/tasks`. `npm test` starts hundreds of
 * threads, and has them run what it has just built of the sources; threads of tests are not among that.
 */
export function threadStart(name: string): ThreadStart {
  const isBuilt =
    !isSource || (process.env['WAYPOINT_BUILT_THREADS'] === '1' && !name.includes('..'));
  if (!isBuilt) return { module: new URL(`${name}.ts`, packageUrl) };
  const bundle = new URL(`dist/threads/${name.split('/').at(-1)}.cjs`, packageUrl);
  return { module: new URL('bin/thread.cjs', packageUrl), workerData: bundle.href };
}
