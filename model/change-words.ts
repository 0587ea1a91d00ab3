/** Words for the kinds of changes. Apart from change.ts, because the map needs none of its schemas. */
export const changeWords = {
  bookmark_add: 'bookmark added',
  bookmark_edit: 'bookmark changed',
  bookmark_rename: 'bookmark renamed or moved',
  bookmark_delete: 'bookmark deleted',
  tag_add: 'tagged',
  tag_remove: 'tag removed',
  tag_rename: 'tag renamed',
  hide: 'imported waypoint hidden',
  show: 'hidden waypoint shown again',
  correction_add: 'timeline corrected',
  correction_delete: 'correction deleted',
  merge: 'bookmarks file merged',
  import: 'import',
  import_remove: 'imported file removed',
  import_restore: 'imported file restored',
  undo: 'taken back',
} as const;
export type ChangeKind = keyof typeof changeWords;
