import type { Format } from '../format.ts';
import { Recording } from '../points/recording.ts';
import { readBlocks } from '../read-blocks.ts';
import { Lines } from '../text/lines.ts';
import { Sentences } from './sentences.ts';

const sentence = /^\$(?:G[ABILNPQ]|BD|QZ)[A-Z]{3},/m;

/** A log of NMEA 0183 sentences, as receivers write them. */
export const nmeaFormat: Format = {
  name: 'nmea',
  recognises: (head) => sentence.test(head.toString('latin1')),
  read(source, sink, options) {
    const recording = new Recording(sink);
    const sentences = new Sentences(recording);
    const lines = new Lines(
      (line) => sentences.take(line),
      // A receiver was switched off in the middle of it, unless its checksum is there.
      (line) => line.includes('*') && sentences.take(line),
    );
    readBlocks(source, lines, options);
    sentences.end();
    return recording.summary();
  },
};
