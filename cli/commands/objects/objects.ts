import { defineCommand } from '../../program/command.ts';
import { accessCommands } from './access.ts';
import { holdingsCommands } from './holdings.ts';
import { repo } from './repo.ts';
import { serve } from './serve.ts';
import { sshLine } from './ssh-line.ts';
import { transferCommands } from './transfer.ts';
import { upkeepCommands } from './upkeep.ts';
import { user } from './user.ts';

/** `waypointd objects` */
export const command = defineCommand({
  name: 'objects',
  summary: 'keep large files by their hash: server, client, upkeep',
  description: 'The object store: a server for large files by their SHA-256, and its upkeep.',
  commands: [
    ...transferCommands,
    serve,
    user,
    repo,
    ...accessCommands,
    sshLine,
    ...holdingsCommands,
    ...upkeepCommands,
  ],
});
