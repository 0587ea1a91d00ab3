/** Logs 4 MB to a stderr that nobody reads, then tells on stdout how much of it waits in memory, in bytes. */
import { openLog } from '../../daemon/log.ts';

const log = await openLog({ level: 'info', env: {} });
for (let line = 0; line < 4_000; line += 1) log.info('x'.repeat(1_000));
process.stdout.write(`${process.stderr.writableLength}\n`);
