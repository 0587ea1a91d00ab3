import { legacyCommand } from '../../program/command.ts';
import type { Command } from 'commander';
import { registerAccess } from './access.ts';
import { registerHoldings } from './holdings.ts';
import { registerRepo } from './repo.ts';
import { registerServeObjects } from './serve.ts';
import { registerSshLine } from './ssh-line.ts';
import { registerTransfer } from './transfer.ts';
import { registerUpkeep } from './upkeep.ts';
import { registerUser } from './user.ts';

/** `waypointd objects` */
function registerObjects(program: Command): void {
  const objects = program
    .command('objects')
    .summary('keep large files by their hash: server, client, upkeep')
    .description('The object store: a server for large files by their SHA-256, and its upkeep.');
  objects.commandsGroup('Files of a server:');
  registerTransfer(objects);
  objects.commandsGroup('The server:');
  registerServeObjects(objects);
  objects.commandsGroup('Who and what:');
  registerUser(objects);
  registerRepo(objects);
  registerAccess(objects);
  registerSshLine(objects);
  objects.commandsGroup('Upkeep (a server may be running):');
  registerHoldings(objects);
  registerUpkeep(objects);
}

export const command = legacyCommand('objects', registerObjects);
