import { distanceBetween, earthRadiusM, radiansPerUnit, type Place } from '../earth.ts';

/**
 * Numbers places, from 0: a stop within a radius of the first stop at a place is at that place, too; of several the nearest.
 * @returns a function that tells the number of the place of the next stop.
 */
export function placeNumbers(radiusM: number): (stop: Place) => number {
  /** By cube in space, its sides as long as the radius: there is no edge at 180° or at the poles. */
  const places = new Map<string, (Place & { readonly number: number })[]>();
  let count = 0;
  return ({ latE7, lonE7 }) => {
    const [x, y, z] = cubeOf({ latE7, lonE7 }, radiusM);
    let nearest: number | undefined;
    let least = radiusM;
    for (let i = 0; i < 27; i += 1) {
      const cube = [x + (i % 3) - 1, y + (Math.floor(i / 3) % 3) - 1, z + Math.floor(i / 9) - 1];
      for (const place of places.get(cube.join()) ?? []) {
        const apart = distanceBetween(place, { latE7, lonE7 });
        if (apart > least || (apart === least && nearest !== undefined)) continue;
        nearest = place.number;
        least = apart;
      }
    }
    if (nearest !== undefined) return nearest;
    const key = [x, y, z].join();
    places.set(key, [...(places.get(key) ?? []), { number: count, latE7, lonE7 }]);
    count += 1;
    return count - 1;
  };
}

function cubeOf({ latE7, lonE7 }: Place, sideM: number): [x: number, y: number, z: number] {
  const lat = latE7 * radiansPerUnit;
  const lon = lonE7 * radiansPerUnit;
  const numberOf = (share: number): number => Math.floor((share * earthRadiusM) / sideM);
  return [
    numberOf(Math.cos(lat) * Math.cos(lon)),
    numberOf(Math.cos(lat) * Math.sin(lon)),
    numberOf(Math.sin(lat)),
  ];
}
