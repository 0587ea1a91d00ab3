import { signal } from '@preact/signals';
import { layers, namedFlavor } from '@protomaps/basemaps';
import { addProtocol, type LayerSpecification, type SourceSpecification } from 'maplibre-gl';
import { FetchSource, PMTiles, Protocol } from 'pmtiles';
import type { Bbox } from '../../client/waypoints/index.ts';

const address = `${location.origin}/basemap.pmtiles`;

/** The box that the archive covers, once its head was read. */
export const streetBox = signal<Bbox>();

/** Has MapLibre read the user's own street map by ranges. */
export function offerStreetMap(headers: Readonly<Record<string, string>>): void {
  const protocol = new Protocol();
  const archive = new PMTiles(new FetchSource(address, new Headers(headers)));
  protocol.add(archive);
  archive.getHeader().then(
    ({ minLon, minLat, maxLon, maxLat }) => (streetBox.value = [minLon, minLat, maxLon, maxLat]),
    // MapLibre reports a file that cannot be read.
    () => undefined,
  );
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
