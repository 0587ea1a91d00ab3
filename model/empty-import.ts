import type { ImportResult } from './import.ts';

/** The result of an import of nothing. A module without zod: clients in browsers need it. */
export function emptyImport(dir: string): ImportResult {
  return {
    imported: false,
    dir,
    count: 0,
    files: 0,
    added: 0,
    replaced: 0,
    skipped_files: [],
    skipped: 0,
    duplicate_files: [],
    duplicates: 0,
    unsupported_files: [],
    unsupported: 0,
    failed_files: [],
    failed: 0,
    dedup_count: 0,
    observations: 0,
    untimed_points: 0,
    unusable_points: 0,
    tracks: 0,
    track_points: 0,
    routes: 0,
    route_points: 0,
    own_bookmarks: 0,
    files_without_data: [],
    without_data: [],
    replaced_files: [],
    removed_files: [],
    renamed_files: [],
    hidden: 0,
    gpx_in_subfolders: 0,
    failures: [],
    formats: {},
  };
}
