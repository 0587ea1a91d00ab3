import zoneNameAt from '@photostructure/tz-lookup';
import { attempt } from '../../../model/attempt.ts';
import { localTimeZone } from '../../../model/time-zone.ts';
import { unitsPerDegree } from '../earth.ts';
import { Zone } from './zone.ts';

/** A position this near to the last one has its zone, units: some 500 m. */
const nearUnits = 50_000;
const degreesPerHour = 15;

/** Time zone of days: one zone everywhere, or that of each position. */
export class Calendar {
  readonly #fixed: Zone | undefined;
  readonly #zones = new Map<string, Zone>();
  #zone: Zone | undefined;
  #latE7 = 0;
  #lonE7 = 0;

  /** @param timeZone of a request: `UTC`, `local` or an IANA name. */
  constructor(timeZone: string) {
    this.#fixed = timeZone === localTimeZone ? undefined : new Zone(timeZone);
  }

  /** Whether positions have zones of their own. */
  get isLocal(): boolean {
    return this.#fixed === undefined;
  }

  /** The zone whose days count at a position; at sea that of the meridian. */
  zoneAt(latE7: number, lonE7: number): Zone {
    if (this.#fixed !== undefined) return this.#fixed;
    const isNear =
      Math.abs(latE7 - this.#latE7) < nearUnits && Math.abs(lonE7 - this.#lonE7) < nearUnits;
    if (this.#zone !== undefined && isNear) return this.#zone;
    this.#latE7 = latE7;
    this.#lonE7 = lonE7;
    this.#zone = this.#lookUp(latE7 / unitsPerDegree, lonE7 / unitsPerDegree);
    return this.#zone;
  }

  #lookUp(lat: number, lon: number): Zone {
    const name = zoneNameAt(lat, lon);
    const known = this.#zones.get(name);
    if (known !== undefined) return known;
    // Positions and rules come from two places: one may know a zone that the other does not yet.
    const zone = attempt(() => new Zone(name)) ?? new Zone(nauticalName(lon));
    this.#zones.set(name, zone);
    return zone;
  }
}

/** The signs of these names are those of POSIX: west is positive. */
function nauticalName(lon: number): string {
  const hours = Math.round(lon / degreesPerHour);
  return hours === 0 ? 'Etc/GMT' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}
