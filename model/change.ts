/** What can happen to the user's data. */
export const changeKinds = [
  'bookmark_add',
  'bookmark_edit',
  'bookmark_rename',
  'bookmark_delete',
  'tag_add',
  'tag_remove',
  'tag_rename',
  'hide',
  'show',
  'merge',
  'import',
  'import_remove',
  'import_restore',
  'undo',
] as const;
export type ChangeKind = (typeof changeKinds)[number];
