import Database from 'better-sqlite3';
import { distance } from 'geokdbush';

/** A place with the number of its country. */
export interface RtreePlace {
  readonly id: number;
  readonly country: number;
  readonly lat: number;
  readonly lon: number;
}

/** The yardstick for geodata lookups: places in an R*Tree of SQLite, the usual way to do without an index of one's own. */
export interface RtreeBaseline {
  /** The id of the nearest place of a country within so many km. */
  nearest(lat: number, lon: number, km: number, country: number): number | undefined;
  close(): void;
}

const kmPerDegree = 111.195;

/** Fills an R*Tree in a file that is not there yet. No circle reaches across 180° or a pole: that is not measured. */
export function openRtreeBaseline(path: string, places: Iterable<RtreePlace>): RtreeBaseline {
  const db = new Database(path);
  db.pragma('journal_mode = OFF');
  db.exec(
    'CREATE VIRTUAL TABLE spot USING rtree(id, south, north, west, east, +country, +lat, +lon)',
  );
  const insert = db.prepare('INSERT INTO spot VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  db.transaction(() => {
    for (const { id, country, lat, lon } of places)
      insert.run(id, lat, lat, lon, lon, country, lat, lon);
  })();
  const inBox = db.prepare<[number, number, number, number, number], RtreePlace>(
    `SELECT id, country, lat, lon FROM spot
     WHERE south >= ? AND north <= ? AND west >= ? AND east <= ? AND country = ?`,
  );
  return {
    nearest: (lat, lon, km, country) => {
      const up = km / kmPerDegree;
      const right = up / Math.cos((lat * Math.PI) / 180);
      let nearest: number | undefined;
      let nearestKm = km;
      for (const place of inBox.iterate(lat - up, lat + up, lon - right, lon + right, country)) {
        const placeKm = distance(lon, lat, place.lon, place.lat);
        if (placeKm > nearestKm) continue;
        nearest = place.id;
        nearestKm = placeKm;
      }
      return nearest;
    },
    close: () => db.close(),
  };
}
