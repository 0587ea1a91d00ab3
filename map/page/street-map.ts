import { layers, namedFlavor } from '@protomaps/basemaps';
import { addProtocol, type LayerSpecification, type SourceSpecification } from 'maplibre-gl';
import { FetchSource, PMTiles, Protocol } from 'pmtiles';

const address = `${location.origin}/basemap.pmtiles`;

/** Has MapLibre read the user's own street map by ranges. */
export function offerStreetMap(headers: Readonly<Record<string, string>>): void {
  const protocol = new Protocol();
  protocol.add(new PMTiles(new FetchSource(address, new Headers(headers))));
  addProtocol('pmtiles', protocol.tile);
}

export const streetSource: SourceSpecification = { type: 'vector', url: `pmtiles://${address}` };

/** Its land, water, roads and names; without what needs pictures, and over the built-in map where it has nothing. */
export function streetLayers(isDark: boolean): LayerSpecification[] {
  const all = layers('streets', namedFlavor(isDark ? 'dark' : 'light'), { lang: 'en' });
  return all.filter(
    ({ type, layout }) => type !== 'background' && !Object.hasOwn(layout ?? {}, 'icon-image'),
  ) as LayerSpecification[];
}
