import { gpx } from './imports.ts';

const files = ['a.gpx', 'b/c.gpx', 'b/d.gpx', 'e.gpx'];
const pointsInFile = 400;

/** The content of one file in one version; some waypoints are the same in every file. */
function versionContent(file: string, version: number): string {
  const names = Array.from(
    { length: 40 },
    (_, i) => [`W${i % 2 === 0 ? i : `${file} ${version} ${i}`}`, i, i] as const,
  );
  const times = Array.from({ length: pointsInFile }, (_, i) =>
    new Date(Date.UTC(2024, 0, 1 + (version % 300)) + i * 60_000).toISOString(),
  );
  return gpx(names, times);
}

/** The source directory in one version: some files changed since the one before, and new ones, committed together. */
export function versionTree(version: number): Record<string, string> {
  const changed = files.filter((_, index) => version % (index + 1) === 0);
  const tree = Object.fromEntries(changed.map((file) => [file, versionContent(file, version)]));
  const added = ['a', 'b', 'c'].map((name) => `new/${version}${name}.gpx`);
  return {
    ...tree,
    ...Object.fromEntries(added.map((file) => [file, versionContent(file, version)])),
  };
}

/** The versions of each file that may lie in the imports when the version has answered, and perhaps the next has begun. */
export function allowedContent(answered: number) {
  const allowed = new Map<string, { must: boolean; contents: string[] }>();
  for (let version = 1; version <= answered + 1; version += 1) {
    for (const [file, content] of Object.entries(versionTree(version))) {
      const before = allowed.get(file);
      if (version <= answered) allowed.set(file, { must: true, contents: [content] });
      else
        allowed.set(file, {
          must: before !== undefined,
          contents: [...(before?.contents ?? []), content],
        });
    }
  }
  return allowed;
}
