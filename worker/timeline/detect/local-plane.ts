import { metresPerUnit, polarLatE7, radiansPerUnit, wrapLonE7 } from '../earth.ts';

const poleE7 = 900_000_000;

/**
 * A flat map, in metres, of what lies within some kilometres of a position. Means are taken on it: a mean of longitudes
 * would be wrong beside 180°, and means nothing at a pole.
 */
export class LocalPlane {
  #latE7 = 0;
  #lonE7 = 0;
  #metresPerLon = metresPerUnit;
  /** Near a pole: where the middle of the map is, seen from the pole, metres. */
  #poleX = 0;
  #poleY = 0;
  /** 1 near the north pole, −1 near the south pole, else 0. */
  #pole = 0;

  /** Puts the middle of the map at a position. */
  moveTo(latE7: number, lonE7: number): void {
    this.#latE7 = latE7;
    this.#lonE7 = lonE7;
    this.#metresPerLon = metresPerUnit * Math.cos(latE7 * radiansPerUnit);
    this.#pole = Math.abs(latE7) < polarLatE7 ? 0 : Math.sign(latE7);
    this.#poleX = 0;
    this.#poleY = 0;
    if (this.#pole === 0) return;
    this.#poleX = this.x(latE7, lonE7);
    this.#poleY = this.y(latE7, lonE7);
  }

  x(latE7: number, lonE7: number): number {
    if (this.#pole === 0) return wrapLonE7(lonE7 - this.#lonE7) * this.#metresPerLon;
    return this.#fromPole(latE7) * Math.sin(lonE7 * radiansPerUnit) - this.#poleX;
  }

  y(latE7: number, lonE7: number): number {
    if (this.#pole === 0) return (latE7 - this.#latE7) * metresPerUnit;
    return this.#fromPole(latE7) * Math.cos(lonE7 * radiansPerUnit) - this.#poleY;
  }

  /** Whole units, as positions are given. */
  latE7(x: number, y: number): number {
    if (this.#pole === 0) return Math.round(this.#latE7 + y / metresPerUnit);
    const fromPole = Math.hypot(x + this.#poleX, y + this.#poleY);
    return this.#pole * Math.round(poleE7 - fromPole / metresPerUnit);
  }

  lonE7(x: number, y: number): number {
    if (this.#pole !== 0) {
      return Math.round(Math.atan2(x + this.#poleX, y + this.#poleY) / radiansPerUnit);
    }
    return wrapLonE7(Math.round(this.#lonE7 + x / this.#metresPerLon));
  }

  #fromPole(latE7: number): number {
    return (poleE7 - this.#pole * latE7) * metresPerUnit;
  }
}
