import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from './until.ts';

/** Tests end it as crashes do, not as power cuts: nothing has to wait for the disk. */
const settings = ['listen_addresses=', 'max_connections=200', 'fsync=off'];

const installed = '/usr/lib/postgresql';

/** The programs of the newest PostgreSQL of Debian's package; undefined where there is none. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(installed)) return undefined;
  const [newest] = readdirSync(installed).toSorted((a, b) => Number(b) - Number(a));
  const programs = join(installed, newest ?? '', 'bin');
  return existsSync(join(programs, 'initdb')) ? programs : undefined;
}

/** Starts a server of its own in a temporary directory; it speaks through a socket there, and to this user alone. */
export async function startPostgres(programs: string) {
  const directory = mkdtempSync(join(tmpdir(), 'wp-pg-'));
  const data = join(directory, 'data');
  // It refuses to be run by root.
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const as = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {};
  if (as.uid !== undefined) chownSync(directory, as.uid, as.gid);
  const words = ['-D', data, '-U', 'tester', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  execFileSync(join(programs, 'initdb'), words, { ...as, cwd: directory, stdio: 'ignore' });
  let server: ChildProcess = spawn('true');
  const start = async () => {
    server = spawn(
      join(programs, 'postgres'),
      ['-D', data, '-k', directory, ...settings.flatMap((setting) => ['-c', setting])],
      { ...as, cwd: directory, stdio: 'ignore' },
    );
    await until(() =>
      ask('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
  };
  const ended = () => new Promise<void>((done) => server.once('exit', () => done()));
  const stop = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const end = ended();
    server.kill(signal);
    await end;
  };
  const ask = async (statement: string) => {
    const client = new pg.Client({ host: directory, user: 'tester', database: 'postgres' });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await start();
  let made = 0;
  return {
    /** The `postgres://` URL of a new, empty database. */
    newDatabase: async () => {
      const name = `store_${(made += 1)}`;
      await ask(`CREATE DATABASE ${name}`);
      return `postgres://tester@/${name}?host=${encodeURIComponent(directory)}`;
    },
    /** Ends the server as a crash does. */
    kill: () => stop('SIGQUIT'),
    start,
    close: async () => {
      await stop('SIGQUIT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
