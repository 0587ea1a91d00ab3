import { createHash } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWriter } from '../../storage/database.ts';
import { prepareLibrary } from '../../storage/library/prepare.ts';
import { LibraryWriter } from '../../storage/library/writer.ts';
import type { Block } from './long-recording.ts';

const unitsPerDegree = 1e7;

/**
 * Fills the library of a data directory with years of journeys, without the GPX between: that takes an hour. The files
 * that it says it was read from are there, so that a daemon that starts on it has nothing to read again.
 * @param blocks as of {@link longRecording}.
 * @returns observations.
 */
export function fillLongLibrary(dataDirectory: string, blocks: Iterable<Block>): number {
  const path = join(dataDirectory, 'library.sqlite');
  const imports = join(dataDirectory, 'imports');
  mkdirSync(imports, { recursive: true, mode: 0o700 });
  prepareLibrary(path, 0);
  const library = new LibraryWriter(path);
  let observations = 0;
  try {
    let index = 0;
    for (const block of blocks) {
      const name = `journey-${String(index).padStart(4, '0')}.gpx`;
      writeFileSync(join(imports, name), `<gpx><!-- ${index} --></gpx>`);
      store(library, { name, file: join(imports, name) }, block);
      observations += block.timeMs.length;
      index += 1;
    }
    library.markWhole();
    library.checkpoint();
  } finally {
    library.close();
  }
  listImports(dataDirectory, path);
  return observations;
}

/** Rows that an import adds: maps ask for the ids. */
function listImports(dataDirectory: string, library: string): void {
  const db = openWriter(join(dataDirectory, 'waypoints.sqlite'), 'normal');
  try {
    db.prepare('ATTACH ? AS library').run(library);
    db.exec(`INSERT INTO imports (path, path_key, folded, sha256, bytes, format, imported_at, state, summary)
      SELECT path, path_key, path_key, sha256, 0, 'gpx', '2024-01-01T00:00:00.000Z', 'active', '{}' FROM library.files`);
  } finally {
    db.close();
  }
}

function store(
  library: LibraryWriter,
  { name, file }: { readonly name: string; readonly file: string },
  { timeMs, latE7, lonE7 }: Block,
): void {
  const sha256 = createHash('sha256').update(name).digest('hex');
  library.replaceFile(
    { path: name, pathKey: name, sha256 },
    {
      load(rows) {
        for (let i = 0; i < timeMs.length; i += 1) {
          const [lat, lon] = [latE7[i]! / unitsPerDegree, lonE7[i]! / unitsPerDegree];
          rows.trackPoint(lat, lon, 100, timeMs[i]!);
        }
        return {
          format: 'gpx' as const,
          waypoints: 0,
          ownBookmarks: 0,
          trackPoints: timeMs.length,
          tracks: 1,
          routePoints: 0,
          routes: 0,
          observations: timeMs.length,
          missingTimes: 0,
          invalidTimes: 0,
          unusablePoints: 0,
          firstMs: timeMs[0]!,
          lastMs: timeMs.at(-1)!,
        };
      },
      place() {
        const { size, mtimeNs } = statSync(file, { bigint: true });
        return { size: Number(size), mtimeNs: String(mtimeNs) };
      },
    },
  );
}
