import * as z from 'zod';

/** A file of a backup: its name in the archive, its size in bytes, and the SHA-256 of its bytes in lower-case hex. */
const backupFileSchema = z.object({
  name: z.string(),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/u),
});
export type BackupFile = z.output<typeof backupFileSchema>;

/** The last entry of a backup, `manifest.json`: an archive without it was cut off. */
export const backupManifestSchema = z.object({
  waypointd_backup: z.literal(1),
  /** Of the program that made it. */
  version: z.string(),
  created_at: z.iso.datetime(),
  /** False for a backup without the imported files. */
  imports: z.boolean(),
  files: z.array(backupFileSchema),
});
export type BackupManifest = z.output<typeof backupManifestSchema>;

/** Names in the archive. */
export const backupNames = {
  manifest: 'manifest.json',
  store: 'waypoints.sqlite',
  bookmarks: 'bookmarks.gpx',
  config: 'config.json',
  imports: 'imports/',
} as const;
