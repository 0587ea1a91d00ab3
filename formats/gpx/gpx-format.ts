import type { Format } from '../format.ts';
import { rootName } from '../xml/root-name.ts';
import { readGpx } from './read-gpx.ts';

/** GPX 1.0 and 1.1, and what programs make of them. */
export const gpxFormat: Format = {
  name: 'gpx',
  recognises: (head) => rootName(head) === 'gpx',
  read: readGpx,
};
