/** `import --convert` with Debian's gpsbabel. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../cli/terminal/access.ts';
import { testCli } from '../helpers/cli.ts';
import { testWith } from '../helpers/where.ts';

const withGpsbabel = testWith(findProgram('gpsbabel') !== undefined, 'gpsbabel is not installed');

/** A flight of three fixes over Austria, on 5 May 2024. */
const igc = [
  'AXXX001',
  'HFDTE050524',
  'B1000004714000N01112000EA0100001050',
  'B1000104714100N01112100EA0101001060',
  'B1000204714200N01112200EA0102001070',
];

withGpsbabel('an IGC flight is converted and counts in days; a broken one is told', async (t) => {
  const cli = testCli(t);
  const file = join(cli.root, 'flight.igc');
  writeFileSync(file, `${igc.join('\r\n')}\r\n`);
  writeFileSync(join(cli.root, 'broken.igc'), 'no flight at all\n');
  const names = readdirSync(cli.root);
  const both = ['import', file, join(cli.root, 'broken.igc'), '--convert'];
  const { code, stdout, stderr } = await cli.run(both);
  t.is(code, 0, stderr);
  t.regex(stdout, /^Imported \d+ timed points of 2024-05-05 .* from 1 file\.$/mu);
  t.regex(stderr, /broken\.igc was not converted: gpsbabel could not read it/u);
  const added = readdirSync(cli.root).filter((name) => !names.includes(name));
  t.deepEqual(
    added.filter((name) => name.endsWith('.gpx')),
    [],
  );
  t.regex((await cli.run(both)).stdout, /Nothing new: 1 file was imported before/u);
});
