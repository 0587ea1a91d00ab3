import { defineCommand } from '../../program/command.ts';
import { access, grant, revoke } from './access.ts';
import { prune, remove, stats } from './holdings.ts';
import { repo } from './repo.ts';
import { serve } from './serve.ts';
import { sshLine } from './ssh-line.ts';
import { pull, push, verify } from './transfer.ts';
import { backup, fsck, gc, importFiles } from './upkeep.ts';
import { user } from './user.ts';

/** `waypointd objects` */
export const command = defineCommand({
  name: 'objects',
  summary: 'keep large files by their hash: server, client, upkeep',
  description: 'The object store: a server for large files by their SHA-256, and its upkeep.',
  commands: [
    push,
    pull,
    verify,
    serve,
    user,
    repo,
    grant,
    revoke,
    access,
    sshLine,
    stats,
    prune,
    remove,
    fsck,
    gc,
    backup,
    importFiles,
  ],
});
