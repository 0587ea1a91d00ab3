import { layers, namedFlavor } from '@protomaps/basemaps';
import { addProtocol, type LayerSpecification, type SourceSpecification } from 'maplibre-gl';
import { FetchSource, PMTiles, Protocol } from 'pmtiles';

const sourceName = 'streets';
const path = '/basemap.pmtiles';

/** Has MapLibre read the user's own street map by ranges. */
export function offerStreetMap(headers: Readonly<Record<string, string>>): void {
  const protocol = new Protocol();
  const source = new FetchSource(location.origin + path, new Headers(headers));
  protocol.add(new PMTiles(source));
  addProtocol('pmtiles', protocol.tile);
}

export function streetSources(): Record<string, SourceSpecification> {
  return { [sourceName]: { type: 'vector', url: `pmtiles://${location.origin}${path}` } };
}

/** Its land, water, roads and names; without what needs pictures, and over the built-in map where it has nothing. */
export function streetLayers(isDark: boolean): LayerSpecification[] {
  const all = layers(sourceName, namedFlavor(isDark ? 'dark' : 'light'), { lang: 'en' });
  return all.filter(
    ({ type, layout }) => type !== 'background' && !Object.hasOwn(layout ?? {}, 'icon-image'),
  ) as LayerSpecification[];
}
