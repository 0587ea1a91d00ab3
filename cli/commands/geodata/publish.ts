import { resolve } from 'node:path';
import { ExitError } from '../../../model/exit-error.ts';
import type { HostedGeneration } from '../../../model/geodata.ts';
import type { ObjectBody } from '../../../model/objects.ts';
import { defineCommand } from '../../program/command.ts';
import { note, printJson } from '../../terminal/output.ts';
import { forTerminal } from '../../terminal/text.ts';
import { showTransfer } from '../../terminal/transfer-bar.ts';
import { remoteNotes, remoteOptions, withClient } from '../objects/remote.ts';

/** `waypointd geodata publish`, for who maintains a manifest */
export const publish = defineCommand({
  name: 'publish',
  summary: 'for maintainers: send a generation to a repository',
  description:
    'For maintainers: sends a generation that was built to a repository of an object server, unless it is there, and\nprints its entry in the manifest.',
  arguments: '<file>',
  options: remoteOptions,
  notes: remoteNotes,
  async run({ words: [file], options }) {
    const path = resolve(file);
    const { identifyFile } = await import('../../../client/objects/index.ts');
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
  },
});

async function describe(
  path: string,
  object: ObjectBody,
  endpoint: string,
): Promise<HostedGeneration> {
  const [{ describeGeneration }, { UnusableGeneration }] = await Promise.all([
    import('../../../geodata/build/describe-generation.ts'),
    import('../../../geodata/generation.ts'),
  ]);
  try {
    const listed = describeGeneration(path, object, endpoint);
    if (listed !== undefined) return listed;
  } catch (error) {
    if (!(error instanceof UnusableGeneration)) throw error;
    throw new ExitError('The file is no generation of geodata, or is damaged.', 1, error);
  }
  throw new ExitError(
    'This generation could not stand in a manifest: its id or its texts are not allowed there, or the repository is\nneither https nor on this machine.',
  );
}
