import type { Format } from '../format.ts';
import { JsonElements } from '../json/json-elements.ts';
import { member } from '../json/json-values.ts';
import { Recording } from '../points/recording.ts';
import { readBlocks } from '../read-blocks.ts';
import { Features } from './features.ts';

const geojson =
  /^(?:\u00EF\u00BB\u00BF)?\s*\{[^]*?(?:"type"\s*:\s*"Feature(?:Collection)?"|"features"\s*:\s*\[\s*\{\s*"(?:type|geometry|properties|id|bbox)")/;

/** GeoJSON (RFC 7946): a collection of features, or one. */
export const geojsonFormat: Format = {
  name: 'geojson',
  recognises: (head) => geojson.test(head.toString('latin1')),
  read(source, sink, options) {
    const recording = new Recording(sink);
    const features = new Features(recording);
    /** The root itself, if it is a feature. */
    const root: Record<string, unknown> = {};
    const elements = new JsonElements((name, value) => {
      if (name === 'features') features.take(value);
      else if (name === 'geometry' || name === 'properties') root[name] = value;
    });
    readBlocks(source, elements, options);
    if (member(root, 'geometry') !== undefined) features.take(root);
    return recording.summary();
  },
};
