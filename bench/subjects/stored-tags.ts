import { identityOf } from '../../model/identity.ts';
import { openWriter } from '../../storage/database.ts';
import { prepareMeta } from '../../storage/waypoints/meta.ts';
import { prepareTags } from '../../storage/waypoints/tags.ts';
import { places, type PlaceOptions } from '../data.ts';
import { Random } from '../random.ts';

const vocabulary = 'beach,camp,coffee,food,home,*,**,!,hiking,to see,été,seen'.split(',');

/**
 * Gives imported waypoints tags while no daemon runs, in one transaction: a request each would take minutes. A tenth
 * gets two tags, 27 of 100 get one.
 */
export function addTags(database: string, options: PlaceOptions): void {
  const db = openWriter(database, 'normal');
  try {
    const tags = prepareTags(db, () => undefined);
    const random = new Random(options.seed + 1);
    db.transaction(() => {
      for (const { name, lat, lon } of places(options)) {
        const draw = random.below(100);
        if (draw >= 37) continue;
        const raws = [random.pick(vocabulary), ...(draw < 10 ? [random.pick(vocabulary)] : [])];
        tags.addAll(identityOf(name, lat, lon), raws);
      }
      prepareMeta(db).touch();
    })();
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}
