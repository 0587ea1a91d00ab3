import type { Buffer } from 'node:buffer';
import { promisedFormat } from '../model/recorder-formats.ts';
import { csvFormat } from './csv/csv-format.ts';
import { fitFormat } from './fit/fit-format.ts';
import type { Format } from './format.ts';
import { geojsonFormat } from './geojson/geojson-format.ts';
import { googleFormat } from './google/google-format.ts';
import { gpxFormat } from './gpx/read-gpx.ts';
import { kmlFormat } from './kml/kml-format.ts';
import { nmeaFormat } from './nmea/nmea-format.ts';
import { owntracksFormat } from './owntracks/owntracks-format.ts';
import { tcxFormat } from './tcx/tcx-format.ts';

/** In the order in which they are asked whether a file is theirs. */
export const formats: readonly Format[] = [
  gpxFormat,
  fitFormat,
  kmlFormat,
  tcxFormat,
  googleFormat,
  geojsonFormat,
  owntracksFormat,
  nmeaFormat,
  csvFormat,
];

/**
 * The format of a file: the one that its first bytes show, else the one that its ending promises.
 * @param head its first {@link headBytes}.
 * @returns undefined for a file of no format that is read.
 */
export function findFormat(head: Buffer, file: string, among = formats): Format | undefined {
  const promised = promisedFormat(file);
  return (
    among.find((format) => format.recognises(head)) ?? among.find(({ name }) => name === promised)
  );
}
