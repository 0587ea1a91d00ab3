import type { Command } from 'commander';
import { registerServeObjects } from './serve.ts';

/** `waypointd objects` */
export function registerObjects(program: Command): void {
  const objects = program
    .command('objects')
    .summary('keep large files by their hash: server, client, upkeep')
    .description('The object store: a server for large files by their SHA-256, and its upkeep.');
  registerServeObjects(objects);
}
