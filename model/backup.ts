import * as z from 'zod';

/** A file of a backup as its manifest lists it: name in the archive, size in bytes, SHA-256 in lower-case hex. */
export interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * What the last entry of a backup, `manifest.json`, says before its list of {@link BackupFile}: an archive without it was
 * cut off.
 */
export const backupHeadSchema = z.object({
  waypointd_backup: z.literal(1),
  /** Version of the program that made it. */
  version: z.string(),
  created_at: z.iso.datetime(),
  /** False for a backup without the imported files. */
  imports: z.boolean(),
});
export type BackupHead = z.output<typeof backupHeadSchema>;

/** A backup that was read to its end. */
export interface BackupContent extends BackupHead {
  readonly files: number;
  readonly bytes: number;
  /** SHA-256 of the store in it. */
  readonly store: string;
}

/** Names in the archive. */
export const backupNames = {
  manifest: 'manifest.json',
  store: 'waypoints.sqlite',
  bookmarks: 'bookmarks.gpx',
  config: 'config.json',
  imports: 'imports/',
} as const;
