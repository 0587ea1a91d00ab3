import type { Format } from '../format.ts';
import { JsonElements } from '../json/json-elements.ts';
import { Recording } from '../points/recording.ts';
import { readBlocks } from '../read-blocks.ts';
import { GoogleLocations } from './google-locations.ts';

const exports =
  /^(?:\u00EF\u00BB\u00BF)?\s*\{\s*"(?:locations(?=[^]*"(?:latitudeE7|timestampMs)")|timelineEdits(?=[^]*"(?:rawSignal|deviceId)")|timelineObjects|semanticSegments|rawSignals|userLocationProfile)"\s*:/;
/** The export of an iPhone is a bare array of what happened. */
const bareArray =
  /^(?:\u00EF\u00BB\u00BF)?\s*\[\s*\{(?=[^]*"startTime"\s*:)[^]*"(?:visit|activity|timelinePath|timelineMemory)"\s*:/;

/** Google's location history in each of the forms in which it was and is exported. */
export const googleFormat: Format = {
  name: 'google',
  recognises(head) {
    const text = head.toString('latin1');
    return exports.test(text) || bareArray.test(text);
  },
  read(source, sink, options) {
    const recording = new Recording(sink);
    const locations = new GoogleLocations(recording);
    readBlocks(source, new JsonElements((member, value) => locations.take(member, value)), options);
    return recording.summary();
  },
};
