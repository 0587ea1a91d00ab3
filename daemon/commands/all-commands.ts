import type { Command } from 'commander';
import { registerApi } from './api.ts';
import { registerBookmark } from './bookmark.ts';
import { registerConfig } from './config.ts';
import { registerDemo } from './demo.ts';
import { registerExport } from './export.ts';
import { registerGeodata } from './geodata.ts';
import { registerHistory } from './history.ts';
import { registerImport } from './import.ts';
import { registerList } from './list.ts';
import { registerObjects } from './objects/register.ts';
import { registerPaths } from './paths.ts';
import { registerSearch } from './search.ts';
import { registerServe } from './serve.ts';
import { registerService } from './service.ts';
import { registerStatus } from './status.ts';
import { registerTag } from './tag.ts';
import { registerTimeline } from './timeline.ts';
import { registerToken } from './token.ts';
import { registerVersion } from './version.ts';
import { registerWhere } from './where.ts';

/** Adds every command, in the order of the help. */
export function registerAll(program: Command): void {
  program.commandsGroup('Your waypoints:');
  registerImport(program);
  registerList(program);
  registerSearch(program);
  registerBookmark(program);
  registerTag(program);
  registerHistory(program);
  registerTimeline(program);
  registerWhere(program);
  registerExport(program);
  program.commandsGroup('The daemon:');
  registerServe(program);
  registerService(program);
  registerStatus(program);
  registerConfig(program);
  registerPaths(program);
  registerGeodata(program);
  registerVersion(program);
  program.commandsGroup('Large files:');
  registerObjects(program);
  program.commandsGroup('For programs:');
  registerToken(program);
  registerApi(program);
  registerDemo(program);
}
