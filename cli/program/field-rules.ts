import { limits } from '../../model/limits.ts';

const position = 'latitudes are from -90 to 90, longitudes from -180 to 180, in degrees';
const name = `a name has 1 to ${limits.nameCodePoints} characters, none of them a line break or another control character`;
const tag = `a tag has 1 to ${limits.tagCodePoints} characters, none of them a line break or another control character`;
const query = `a search has at most ${limits.queryCodePoints} characters, none of them a line break or another control character`;
const time = 'a time is written as 2024-06-01T12:00:00Z';

/**
 * What each field of a request has to look like: the API's own sentence only says that one is not valid. Made when it is
 * wanted: writing numbers for people loads some MB that no daemon needs.
 */
const rules = (): Readonly<Record<string, string>> => ({
  name,
  oldName: name,
  newName: name,
  tag,
  tags: `${tag}, and there are at most ${limits.tagsPerRequest.toLocaleString('en-US')} at once`,
  desc: `a note has at most ${limits.descCodePoints.toLocaleString('en-US')} characters`,
  lat: position,
  lon: position,
  newLat: position,
  newLon: position,
  bbox: 'a box is west,south,east,north in degrees, its south not above its north',
  q: query,
  query,
  time,
});

/** The rule that a refused field has broken; undefined for one that a user of the command line has not written. */
export function fieldRule(field: string): string | undefined {
  return new Map(Object.entries(rules())).get(field);
}
