import { elsewhere, type Customs } from './customs.ts';

/** How a recorder works, and what goes wrong with it. */
export interface Profile {
  readonly name: string;
  /** Seconds between fixes; where there are several, each session of recording has one of them. */
  readonly intervalS: readonly number[] | readonly [range: 'between', low: number, high: number];
  /** Records only while moving: after some minutes without a step it sleeps until the person is so many metres away. */
  readonly wakeM?: readonly [low: number, high: number];
  /** Spikes, (0,0), equal stamps, swapped points and stamps, echoes of houses. */
  readonly isFlawed?: boolean;
  /** Indoors it errs by this much (standard deviation to the east and to the north), for ten minutes at a time. */
  readonly indoorsM?: number;
  /** Now and then all fixes of some minutes are at a cell tower far away. */
  readonly hasTowers?: boolean;
  /** So often a day it is off for twenty minutes to eight hours, instead of every few days. */
  readonly silencesADay?: number;
  /** A second device records at the same time, every so many seconds. */
  readonly otherDeviceS?: number;
  /** How people live and get about there, instead of as usual. */
  readonly customs?: Customs;
  readonly days: number;
  /** The goal for F1; undefined for what is shown without one. */
  readonly goalF1?: number;
  /** …and for F1 of the worst of all journeys. */
  readonly goalWorstF1?: number;
  /** A stay may be found in several pieces, at most a fifth more than there are. */
  readonly hasPieces?: boolean;
  /** Departures are within 90 s for nine of ten. */
  readonly isExact?: boolean;
}

export const profiles: readonly Profile[] = [
  { name: '1 s', intervalS: [1], days: 2, goalF1: 0.97, isExact: true },
  { name: '5 s', intervalS: [5], days: 4, goalF1: 0.97, isExact: true },
  { name: '30 s', intervalS: [30], days: 8, goalF1: 0.97, isExact: true },
  { name: '60 s', intervalS: [60], days: 8, goalF1: 0.97, isExact: true },
  {
    name: 'mixed 1-60 s',
    intervalS: [1, 5, 5, 30, 30, 60, 60, 60],
    days: 6,
    goalF1: 0.99,
    isExact: true,
  },
  {
    name: 'spikes and disorder',
    intervalS: [1, 5, 5, 30, 30, 60, 60, 60],
    days: 6,
    isFlawed: true,
    goalF1: 0.95,
    goalWorstF1: 0.95,
  },
  {
    name: 'silent while still',
    intervalS: [5, 15],
    days: 8,
    wakeM: [15, 60],
    goalF1: 0.93,
  },
  { name: '5-15 min', intervalS: ['between', 300, 900], days: 10, goalF1: 0.94, goalWorstF1: 0.86 },
  {
    name: '5-15 min, elsewhere',
    intervalS: ['between', 300, 900],
    days: 10,
    customs: elsewhere,
    goalF1: 0.9,
    goalWorstF1: 0.86,
  },
  {
    name: 'often off',
    intervalS: [1, 5, 5, 30, 30, 60, 60, 60],
    days: 6,
    isFlawed: true,
    silencesADay: 2,
    goalF1: 0.95,
    hasPieces: true,
  },
  { name: 'indoors', intervalS: [30, 60], days: 6, indoorsM: 60, goalF1: 0.9, hasPieces: true },
  {
    name: 'towers',
    intervalS: [30, 60, 120],
    days: 6,
    hasTowers: true,
    goalF1: 0.95,
    hasPieces: true,
  },
  { name: 'hourly', intervalS: ['between', 3_000, 4_200], days: 20, goalF1: 0.65, hasPieces: true },
  { name: 'two devices', intervalS: [5, 30], days: 5, otherDeviceS: 20 },
];

/** @throws Error for a name that no profile has. */
export function profileNamed(name: string): Profile {
  const found = profiles.find((profile) => profile.name === name);
  if (found === undefined) throw new Error(`There is no profile ${name}.`);
  return found;
}
