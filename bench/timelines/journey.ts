import { Random } from '../random.ts';
import { cities, solarHours, type City } from './cities.ts';
import { usual, type Customs } from './customs.ts';
import { between, metresBetween, moved, type Position } from './geometry.ts';
import { Traveller, type Ride, type Visit } from './traveller.ts';
import type { Trail } from './trail.ts';

/** A person's whole way through some days, and the truth about it. */
export interface Journey {
  readonly trail: Trail;
  readonly visits: readonly Visit[];
  /** Every way, and how it was gone. */
  readonly ways: readonly Ride[];
  /** The towns visited. */
  readonly towns: readonly City[];
  /** When the person was between towns and recorders may be off: flights and night trains. */
  readonly rides: readonly { readonly startMs: number; readonly endMs: number }[];
}

/** Places of one person in one town. */
interface Town {
  readonly city: City;
  readonly home: Position;
  readonly work: Position;
  readonly venues: readonly Position[];
  readonly station: Position;
  readonly airport: Position;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
/** Neighbours on a person's way are further apart than this: going from one to the next is no stay of its own. */
const apartM = 300;
/** Towns within this distance have night trains between them. */
const trainKm = 1_500;

/**
 * Lives through days: at home, at work, at lunch, on errands and visits, from the second or third day on in another town
 * and back again. The same seed gives the same journey.
 * @param days at least 1.
 */
export function makeJourney(seed: number, days: number, customs = usual): Journey {
  return new Life(new Random(seed), customs, seed, days).live();
}

class Life {
  readonly #random: Random;
  readonly #traveller: Traveller;
  readonly #endMs: number;
  readonly #towns: Town[];
  readonly #rides: { startMs: number; endMs: number }[] = [];
  readonly #customs: Customs;
  #town: Town;

  constructor(random: Random, customs: Customs, seed: number, days: number) {
    this.#random = random;
    this.#customs = customs;
    const home = cities[seed % cities.length]!;
    const others = cities.filter((city) => city !== home);
    const near = others.filter((city) => metresBetween(city, home) < trainKm * 1_000);
    const isNear = near.length > 0 && random.unit() < 0.6;
    this.#towns = [home, random.pick(isNear ? near : others)].map((city) => makeTown(random, city));
    this.#town = this.#towns[0]!;
    const midnight = Date.UTC(2019, 0, 1) + random.below(2_500) * dayMs;
    const startMs = midnight + Math.round(random.between(5, 9) * 3_600) * 1_000 - this.#solarMs();
    this.#endMs = startMs + days * dayMs;
    this.#traveller = new Traveller(random, customs, startMs, this.#town.home);
  }

  live(): Journey {
    const traveller = this.#traveller;
    const started = traveller.timeMs;
    const away = (this.#endMs - started) / 2;
    const back = started + Math.max(away + 1.5 * dayMs, (this.#endMs - started) * 0.8);
    let trip = 0;
    while (traveller.timeMs < this.#endMs) {
      this.#day();
      if (traveller.timeMs >= this.#endMs) break;
      const isTime = trip === 0 ? traveller.timeMs > started + away : traveller.timeMs > back;
      if (trip < 2 && isTime) {
        this.#travel(this.#towns[trip === 0 ? 1 : 0]!);
        trip += 1;
      }
    }
    return {
      trail: traveller.trail,
      visits: traveller.visits,
      ways: traveller.rides,
      towns: this.#towns.slice(0, trip === 0 ? 1 : 2).map(({ city }) => city),
      rides: this.#rides,
    };
  }

  /** From getting up to coming home. */
  #day(): void {
    const random = this.#random;
    const isWorkday = random.unit() < 0.7;
    this.#getUpAt(isWorkday ? random.between(6.75, 9) : random.between(8.5, 11));
    if (isWorkday) this.#work();
    else for (let i = 1 + random.below(3); i > 0; i -= 1) this.#outing(random.between(20, 150));
    for (let i = random.below(3); i > 0; i -= 1) this.#outing(random.between(8, 45));
    if (random.unit() < 0.3) this.#stayAtHome(random.between(30, 120));
    if (this.#solarHour() < 20.5 && random.unit() < 0.45) this.#outing(random.between(60, 240));
    this.#goTo(this.#town.home);
  }

  #work(): void {
    const random = this.#random;
    if (random.unit() < 0.3) this.#outing(random.between(8, 25));
    this.#visit(this.#town.work, random.between(150, 270));
    if (random.unit() < 0.7) {
      const angle = random.between(0, 6.28);
      const metres = random.between(apartM, 1_200);
      const lunch = moved(this.#town.work, Math.cos(angle) * metres, Math.sin(angle) * metres);
      this.#visit(lunch, random.between(20, 60));
    }
    this.#visit(this.#town.work, random.between(150, 270));
  }

  #outing(minutes: number): void {
    const near = metresBetween.bind(undefined, this.#traveller.position);
    const venues = this.#town.venues.filter((venue) => near(venue) > apartM);
    this.#visit(this.#random.pick(venues), minutes);
  }

  #stayAtHome(minutes: number): void {
    this.#visit(this.#town.home, minutes);
  }

  /** Stays at the present place until an hour of the solar day, over night where it is evening; who is late stays a while. */
  #getUpAt(hour: number): void {
    const now = this.#solarHour();
    let wait = hour - now;
    if (wait < 0.2) wait = now > 15 ? wait + 24 : this.#random.between(0.3, 1.5);
    this.#stay(this.#traveller.timeMs + wait * hourMs);
  }

  #visit(place: Position, minutes: number): void {
    const { timeMs, position } = this.#traveller;
    const metres = metresBetween(position, place);
    if (timeMs >= this.#endMs || (metres > 1 && metres < apartM)) return;
    this.#goTo(place);
    this.#stay(this.#traveller.timeMs + minutes * minuteMs);
  }

  /** Staying on where a stay has just ended is one stay. */
  #stay(untilMs: number): void {
    const { visits, timeMs } = this.#traveller;
    const last = visits.at(-1);
    const until = Math.round(Math.min(untilMs, this.#endMs) / 1_000) * 1_000;
    if (until <= timeMs) return;
    const isOn = last !== undefined && last.endMs === timeMs;
    this.#traveller.stay(until, this.#town.city.country);
    if (!isOn) return;
    const added = visits.pop()!;
    visits[visits.length - 1] = { ...last, endMs: added.endMs };
  }

  #goTo(place: Position): void {
    const metres = metresBetween(this.#traveller.position, place);
    if (metres < 1) return;
    this.#traveller.go(place, this.#customs.modeFor(metres, this.#random));
  }

  #travel(to: Town): void {
    const km = metresBetween(this.#town.city, to.city) / 1_000;
    if (km < trainKm && this.#solarHour() > 17) this.#nightTrain(to, km);
    else if (km < 700) this.#driveFar(to);
    else this.#fly(to, km);
  }

  #nightTrain(to: Town, km: number): void {
    const random = this.#random;
    this.#visit(this.#town.station, random.between(12, 30));
    this.#ride(to, to.station, Math.max(km / 130, random.between(8.5, 11)), 'train');
    this.#visit(to.home, random.between(30, 120));
  }

  #driveFar(to: Town): void {
    const random = this.#random;
    const from = this.#traveller.position;
    this.#traveller.go(between(from, to.home, 0.5), 'motorway');
    this.#stay(this.#traveller.timeMs + random.between(12, 35) * minuteMs);
    this.#traveller.go(to.home, 'motorway');
    this.#town = to;
    this.#stay(this.#traveller.timeMs + random.between(60, 180) * minuteMs);
  }

  #fly(to: Town, km: number): void {
    const random = this.#random;
    if (random.unit() < 0.6) this.#getUpAt(random.between(5, 9));
    this.#visit(this.#town.airport, random.between(50, 150));
    this.#traveller.go(moved(this.#town.airport, 2_200, 900), 'drive');
    this.#traveller.wait(random.between(20, 90) * 1_000);
    this.#ride(to, moved(to.airport, 1_800, -1_300), km / 820 + 0.3, 'flight');
    this.#visit(to.airport, random.between(15, 40));
    this.#visit(to.home, random.between(60, 240));
  }

  #ride(to: Town, position: Position, hours: number, mode: 'train' | 'flight'): void {
    const startMs = this.#traveller.timeMs;
    this.#traveller.ride(position, hours, mode);
    this.#rides.push({ startMs, endMs: this.#traveller.timeMs });
    this.#town = to;
  }

  #solarMs(): number {
    return solarHours(this.#town.city) * hourMs;
  }

  #solarHour(): number {
    const solar = this.#traveller.timeMs + this.#solarMs();
    return (((solar % dayMs) + dayMs) % dayMs) / hourMs;
  }
}

function makeTown(random: Random, city: City): Town {
  const around = (low: number, high: number): Position => {
    const angle = random.between(0, 6.283);
    const metres = random.between(low, high);
    return moved(city, Math.cos(angle) * metres, Math.sin(angle) * metres);
  };
  const home = around(200, 3_000);
  const work = around(3_500, 8_000);
  const isApart = (venue: Position): boolean =>
    metresBetween(venue, home) > apartM && metresBetween(venue, work) > apartM;
  return {
    city,
    home,
    work,
    venues: Array.from({ length: 16 }, () => around(300, 5_500)).filter(isApart),
    station: around(6_000, 9_000),
    airport: around(11_000, 18_000),
  };
}
