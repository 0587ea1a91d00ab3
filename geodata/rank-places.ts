import type { SearchArea } from './area-search.ts';
import { areaKinds } from './format.ts';
import { beginsSo, calledSo, inName, isShort, wholeOf } from './name-queries.ts';
import { spelledOut, wholeName } from './words.ts';

/** A place counts with so much of its people where only another name of it begins so (Vienna for `wie`), as do areas. */
const otherNameWeight = 0.1;
/** So many times the people of a place that is called just so come before it: Kyoto for `kyo`, which is a village, too. */
const muchLarger = 100;
/** People of a place of which nothing is known; GeoNames has those from here on. */
const leastPeople = 1_000;
/** So many times their people is what countries count with by their name in another language: Islandia is Iceland. */
const countryWeight = 10;

/** A place of the generation; ids are in the order of population. */
export interface Match {
  readonly id: number;
  readonly name: string;
  readonly population: number;
  readonly country: number;
  readonly region: number | null;
}

/** Places that a query finds. */
type Collected = ReturnType<typeof collect>;

/** With how likely it is to be meant: its people, or a part of them. */
export type Weighed<One> = One & { readonly weight: number };

/**
 * Looks for the places of a query: those that are called just so, in order; those with another name that is equal to it; and
 * those with a name, or another name, that begins so.
 * @param find the places that match an expression of FTS5
 */
export function collect(
  words: readonly string[],
  limit: number,
  find: (match: string) => readonly Match[],
) {
  const whole = wholeName(words);
  const byName = find(inName(words));
  // Every large city has some other name that begins with a given letter.
  const isEnough = isShort(words) && byName.length >= limit;
  const found = isShort(words)
    ? []
    : [...find(`${inName(words)} AND ${calledSo(words)}`), ...find(calledSo(words))];
  const isExact = ({ name }: Match): boolean =>
    wholeOf(name) === whole || wholeOf(spelledOut(name)) === whole;
  const known = new Set<number>();
  const fresh = (matches: readonly Match[]): Match[] =>
    matches.filter(({ id }) => !known.has(id) && known.add(id));
  const exact = fresh(found.filter(isExact)).toSorted((a, b) => a.id - b.id);
  const called = fresh(found);
  const begun = fresh(byName).map(named);
  const beginning = isEnough ? [] : fresh(find(beginsSo(words))).map(weighed);
  return { exact: exact.map(named), called: called.map(named), begun: [...begun, ...beginning] };
}

/** Puts what is not called just so behind what is, but for what is much larger than a town of the name. */
export function inOrder<One extends Match | SearchArea>(
  exact: readonly Weighed<One>[],
  others: readonly Weighed<One>[],
): One[] {
  const found = new Set<One>();
  for (const one of exact) {
    const least = isArea(one) ? Infinity : muchLarger * Math.max(one.weight, leastPeople);
    for (const other of others) if (other.weight >= least) found.add(other);
    found.add(one);
  }
  for (const other of others) found.add(other);
  return [...found];
}

/**
 * Adds areas that are called just so: countries come first, then regions and islands; before a region its own towns of that
 * name, since Porto is rather the town than the district.
 */
export function withAreas(
  { exact, called }: Collected,
  areas: readonly SearchArea[],
): Weighed<Match | SearchArea>[] {
  const isCountry = ({ kind }: SearchArea): boolean => areaKinds[kind] === 'country';
  const regions = areas.filter((area) => !isCountry(area));
  const isIn = ({ region }: Match, area: SearchArea): boolean =>
    area.region !== null && region === area.region;
  const found = regions.flatMap((area): Weighed<Match | SearchArea>[] => [
    ...[...exact, ...called].filter((place) => isIn(place, area)),
    named(area),
  ]);
  const others = exact.filter((place) => !regions.some((area) => isIn(place, area)));
  return [...areas.filter(isCountry).map(named), ...found, ...others];
}

/** Tells areas from places. */
export function isArea(found: Match | SearchArea): found is SearchArea {
  return 'kind' in found;
}

/** Weighs what is called so by its people. */
export function named<One extends { readonly population: number }>(one: One): Weighed<One> {
  return { ...one, weight: one.population };
}

/** Weighs what begins so by another name. */
export function weighed<One extends { readonly population: number }>(one: One): Weighed<One> {
  return { ...one, weight: one.population * otherNameWeight };
}

/** Sorts by weight, the largest first. */
export function byWeight<One>(found: readonly Weighed<One>[]): Weighed<One>[] {
  return found.toSorted((a, b) => b.weight - a.weight);
}

/** Weighs countries by their name in another language. */
export function countryWeighed<One extends { readonly population: number }>(
  one: One,
): Weighed<One> {
  return { ...one, weight: one.population * countryWeight };
}
