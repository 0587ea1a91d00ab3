import * as z from 'zod';

/** The last entry of a backup, `manifest.json`: an archive without it was cut off. */
export const backupManifestSchema = z.object({
  waypointd_backup: z.literal(1),
  /** Version of the program that made it. */
  version: z.string(),
  created_at: z.iso.datetime(),
  /** False for a backup without the imported files. */
  imports: z.boolean(),
  /** Name in the archive, size in bytes, SHA-256 in lower-case hex. */
  files: z.array(z.object({ name: z.string(), bytes: z.number(), sha256: z.string() })),
});
export type BackupFile = z.output<typeof backupManifestSchema>['files'][number];
export type BackupHead = Omit<z.output<typeof backupManifestSchema>, 'files'>;

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
