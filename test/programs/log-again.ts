/** Logs to a file in whose place a directory is at first, right after that is gone, and a minute later. */
import { mkdirSync, rmdirSync } from 'node:fs';
import { openLog } from '../../daemon/log.ts';

const file = process.argv[2] ?? '';
const told = Promise.withResolvers<void>();
process.stderr.write = (text) => {
  if (String(text).startsWith('The log file cannot be written')) told.resolve();
  return true;
};
let now = 0;
mkdirSync(file);
const log = await openLog({ level: 'info', file, env: {}, now: () => now });
log.info('first');
await told.promise;
rmdirSync(file);
now += 59_999;
log.info('soon');
now += 1;
log.info('later');
await log.close();
