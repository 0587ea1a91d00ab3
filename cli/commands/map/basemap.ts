import { open } from 'node:fs/promises';
import { PMTiles, TileType, type Header, type Source } from 'pmtiles';
import { absolutePath } from '../../../client/waypoints/node/places.ts';
import { changeConfigFile } from '../../../daemon/settings.ts';
import { openBasemap } from '../../../map/server/basemap.ts';
import { ExitError } from '../../../model/exit-error.ts';
import { defineCommand } from '../../program/command.ts';
import { invocation } from '../../terminal/invocation.ts';
import { forTerminal, megabytes } from '../../terminal/text.ts';
import { noteOverride } from '../config.ts';

/** Layers of which the page draws at least one, by the schema of Protomaps. */
const drawnLayers: readonly string[] = ['earth', 'water', 'landuse', 'landcover', 'roads'];

export const basemap = defineCommand({
  name: 'basemap',
  summary: 'show a street map of your own from now on',
  description:
    'Checks a street map, a .pmtiles file with the layers of Protomaps, has the map show it from now on (the setting basemap), and prints what it covers. The file stays where it is. docs/map.md shows how to cut one from a map of the world; "config unset basemap" shows none again.',
  arguments: '<file>',
  examples: ['map basemap ~/maps/home.pmtiles'],
  async *run({ context, words: [name] }) {
    const file = absolutePath(name, process.cwd());
    const { header, bytes } = await inspect(file);
    await changeConfigFile(context.paths.configFile, 'basemap', file);
    yield `${forTerminal(file)} is the street map from now on: ${megabytes(bytes)}, ${coverOf(header)}.`;
    yield `"${invocation()} map" shows it above the built-in one.`;
    noteOverride('basemap', context);
  },
});

/** `zoom 0 to 15, 53.36° to 55.06° N and 7.87° to 11.31° E` */
function coverOf({ minZoom, maxZoom, minLat, maxLat, minLon, maxLon }: Header): string {
  const degree = (value: number, [plus, minus]: readonly [string, string]): string =>
    `${Math.abs(value).toFixed(2)}° ${value < 0 ? minus : plus}`;
  const lat = [minLat, maxLat].map((value) => degree(value, ['N', 'S'])).join(' to ');
  const lon = [minLon, maxLon].map((value) => degree(value, ['E', 'W'])).join(' to ');
  return `zoom ${minZoom} to ${maxZoom}, ${lat} and ${lon}`;
}

/** @throws ExitError 78 for a file that is no street map, or not a whole one */
async function inspect(file: string): Promise<{ header: Header; bytes: number }> {
  // Says what is wrong with a file of another kind.
  await (await openBasemap(file)).close();
  await using handle = await open(file);
  const { size: bytes } = await handle.stat();
  const source: Source = {
    getKey: () => file,
    async getBytes(offset, length) {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(length), 0, length, offset);
      return { data: buffer.buffer.slice(0, bytesRead) };
    },
  };
  const archive = new PMTiles(source);
  const refuse = (why: string, cause?: unknown): ExitError =>
    new ExitError(`The street map ${forTerminal(file)} ${why}. Nothing was changed.`, 78, cause);
  const damaged = (cause: unknown): never => {
    throw refuse('is damaged, or did not arrive whole', cause);
  };
  const header = await archive.getHeader().catch(damaged);
  if (header.tileType !== TileType.Mvt) throw refuse('has pictures instead of vectors');
  if (header.tileDataOffset + (header.tileDataLength ?? 0) > bytes) damaged(undefined);
  const { vector_layers: layers } = Object((await archive.getMetadata().catch(damaged)) ?? {}) as {
    readonly vector_layers?: readonly { readonly id?: string }[];
  };
  if (layers?.some(({ id = '' }) => drawnLayers.includes(id)) === false)
    throw refuse('has none of the layers of Protomaps, so that nothing of it would be seen');
  return { header, bytes };
}
