/** Watched folders on real file systems: one that comes and goes, and one that tells nothing of its changes. */
import test from 'ava';
import { writeTree, gpx } from '../helpers/imports.ts';
import { listed } from '../helpers/imported-files.ts';
import { mountExfat, mountTmpfs, whyNoExfat, whyNoMounts } from '../helpers/mounts.ts';
import { siteAt, watching } from '../helpers/watching.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { testUnless } from '../helpers/where.ts';

const withMounts = testUnless(whyNoMounts(), test.serial);
const withExfat = testUnless(whyNoExfat(), test.serial);

withMounts(
  'a file system that is mounted, unmounted and mounted again is followed each time',
  async (t) => {
    const { dir, daemon, when } = await watching(t, { 'below.gpx': gpx([['Below', 1, 2]]) });
    await when(({ imported }) => imported === 1);
    const unmount = mountTmpfs(t, dir);
    writeTree(dir, { 'sub/card.gpx': gpx([['Card', 3, 4]]) });
    const mounted = await when(({ imported, waiting }) => imported === 2 && waiting === 0);
    t.like(mounted, { state: 'following', files: 1 });
    writeTree(dir, { 'sub/later.gpx': gpx([['Later', 5, 6]]) });
    await when(({ imported }) => imported === 3);
    unmount();
    t.like(await when(({ files, waiting }) => files === 1 && waiting === 0), { imported: 3 });
    writeTree(dir, { 'own.gpx': gpx([['Own', 7, 8]]) });
    await when(({ imported }) => imported === 4);
    mountTmpfs(t, dir);
    writeTree(dir, { 'sub/card.gpx': gpx([['Card', 3, 4]]), 'new.gpx': gpx([['New', 9, 9]]) });
    // A listing may come between the two files.
    const again = await when(({ files, imported }) => files === 2 && imported === 5);
    t.like(again, { state: 'following', waiting: 0, failed: 0 });
    t.is((await listed(daemon, '?state=active')).length, 5);
  },
);

withExfat('on a file system that tells nothing, files are looked at', async (t) => {
  const dir = mountExfat(t);
  writeTree(dir, { 'a.gpx': gpx([['A', 1, 2]]) });
  const { when } = await siteAt(t, temporaryDirectory(t), [dir]);
  t.like(await when(({ imported }) => imported === 1), { state: 'polling' });
  // In the same two seconds of the file system, maybe: then only a listing finds it.
  writeTree(dir, { 'b.gpx': gpx([['B', 3, 4]]) });
  t.like(await when(({ imported, waiting }) => imported === 2 && waiting === 0), { files: 2 });
});
