import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { GeodataLookup } from '../../geodata/lookup.ts';
import type { ObjectBody } from '../../model/objects.ts';
import type { GeodataProbe, HostedGeneration } from '../../model/geodata.ts';
import { ExitError } from '../../model/exit-error.ts';
import { withClient } from './objects/remote-client.ts';
import { withRemoteOptions, type RemoteOptions } from './objects/remote.ts';
import { showTransfer } from '../terminal/transfer-bar.ts';
import { note, printJson } from '../terminal/output.ts';
import { forTerminal } from '../terminal/table.ts';

/** Towns all over the world; what a generation says of those that it knows is what its copies must say, too. */
const probedTowns: readonly (readonly [lat: number, lon: number])[] = [
  [50.11, 8.68],
  [48.857, 2.352],
  [51.507, -0.128],
  [30.044, 31.236],
  [-1.286, 36.817],
  [-33.925, 18.424],
  [28.614, 77.209],
  [35.69, 139.692],
  [-33.868, 151.207],
  [40.714, -74.006],
  [19.433, -99.133],
  [-23.548, -46.636],
];

/** `waypointd geodata publish`, for who maintains a manifest */
export function registerGeodataPublish(geodata: Command): void {
  withRemoteOptions(geodata.command('publish <file>'))
    .summary('for maintainers: send a generation to a repository')
    .description(
      'For maintainers: sends a generation that was built to a repository of an object server, unless it is there, and\nprints its entry in the manifest.',
    )
    .action(async (file: string, options: RemoteOptions, _command: Command) => {
      const path = resolve(file);
      const { identifyFile } = await import('../../client/objects/index.ts');
      const entry = await withClient(options, async (client, signal) => {
        const object = await identifyFile(path, signal);
        const described = await describe(path, object, options.repo);
        const bar = await showTransfer(forTerminal(described.id), object.size);
        try {
          const { isSent } = await client.upload(path, object, { signal, onProgress: bar.show });
          if (!isSent) note('It was there already.');
        } finally {
          bar.hide();
        }
        return described;
      });
      await printJson(entry);
    });
}

/**
 * Checks a generation whole, and describes it as a manifest does.
 * @throws ExitError when it is none, or could not stand in a manifest.
 */
async function describe(
  path: string,
  { oid, size }: ObjectBody,
  endpoint: string,
): Promise<HostedGeneration> {
  const [
    { readGenerationInfo, UnusableGeneration },
    { checkGeneration },
    { GeodataLookup: Lookup },
  ] = await Promise.all([
    import('../../geodata/generation.ts'),
    import('../../geodata/check.ts'),
    import('../../geodata/lookup.ts'),
  ]);
  try {
    const { bytes: _, ...info } = readGenerationInfo(path);
    const probes = probe(new Lookup(path));
    checkGeneration(path, probes);
    return await asListed(
      {
        ...info,
        artifacts: [{ role: 'gazetteer', oid, size, media_type: 'application/vnd.sqlite3' }],
        probes,
      },
      endpoint,
    );
  } catch (error) {
    if (!(error instanceof UnusableGeneration)) throw error;
    throw new ExitError('The file is no generation of geodata, or is damaged.', 1, error);
  }
}

function probe(lookup: GeodataLookup): GeodataProbe[] {
  try {
    return probedTowns.flatMap(([lat, lon]): GeodataProbe[] => {
      const { country_id, region, locality } = lookup.find(lat, lon);
      return country_id === '' ? [] : [{ lat, lon, country_id, region, locality }];
    });
  } finally {
    lookup.close();
  }
}

/** Reads it back as daemons will. */
async function asListed(entry: object, endpoint: string): Promise<HostedGeneration> {
  const { parseManifest } = await import('../../geodata/manifest.ts');
  const text = JSON.stringify({ schema: 1, endpoints: [endpoint], generations: [entry] });
  const [listed] = parseManifest(text)?.generations ?? [];
  if (listed !== undefined) return listed;
  throw new ExitError(
    'This generation could not stand in a manifest: its id or its texts are not allowed there, or the repository is\nneither https nor on this machine.',
  );
}
