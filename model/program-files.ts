/** True where this module runs from the sources; `npm run build` bundles it into a folder of `dist/`. */
const isSource = import.meta.url.endsWith('.ts');

/** The root directory of this package: a clone, or a folder below `node_modules`. Ends with a slash. */
export const packageUrl = new URL(isSource ? '../' : '../../', import.meta.url);

/** The module that a thread starts with, by the name of its source without the ending: `worker/tasks`. */
export function threadModule(name: string): URL {
  return new URL(isSource ? `${name}.ts` : `dist/${name}.cjs`, packageUrl);
}
