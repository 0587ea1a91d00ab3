/** Problems that keep the bookmarks file from being written, by their names in the log: in the log, `status` and `doctor`. */
export const bookmarksFileProblems: Readonly<Record<string, string>> = {
  ENOTFILE:
    'The bookmarks file is not written: not a regular file but a folder, a pipe or a device is in its place (bookmarks_file)',
  ELOOP: 'The bookmarks file is not written: it is a link that leads to itself (bookmarks_file)',
  not_gpx:
    'The bookmarks file is not written: something else than GPX is in its place, and is left as it is (bookmarks_file)',
  too_large:
    'The bookmarks file is not written: a file of over 64 MB is in its place, and is left as it is (bookmarks_file)',
};

/** The way out of each. */
export const bookmarksFileRemedy =
  'Move that away, or choose another place: waypointd config set bookmarks_file FILE';
