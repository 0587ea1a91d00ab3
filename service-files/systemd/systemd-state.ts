import type { CommandLine, Runner } from '../command-line.ts';
import type { ServiceCondition, ServiceExit, ServiceState } from '../service-platform.ts';

export interface Units {
  readonly service: string;
  readonly socket: string;
}

type Properties = ReadonlyMap<string, string>;

const properties = [
  'Id',
  'LoadState',
  'ActiveState',
  'Result',
  'MainPID',
  'ExecMainCode',
  'ExecMainStatus',
  'NRestarts',
  'UnitFileState',
  'ActiveEnterTimestamp',
  'Listen',
];

/** `ExecMainCode=` is `si_code` of waitid(2): how the main process ended. */
const exited = 1;

const conditions: Readonly<Record<string, ServiceCondition>> = {
  active: 'running',
  reloading: 'running',
  // Also the pause before another try.
  activating: 'starting',
  deactivating: 'stopping',
  failed: 'failed',
};

export async function readSystemdState(
  run: Runner,
  systemctl: (words: readonly string[]) => CommandLine,
  { service, socket }: Units,
): Promise<ServiceState> {
  const words = ['show', '--property', properties.join(','), service, socket];
  const { stdout } = await run(systemctl(words));
  const units = stdout.split('\n\n').map(parseProperties);
  const state = units.find((unit) => unit.get('Id') === service) ?? new Map<string, string>();
  const held = units.find((unit) => unit.get('Id') === socket);
  const condition = conditions[state.get('ActiveState') ?? ''] ?? 'stopped';
  const port = listenPort(held);
  const pid = Number(state.get('MainPID') ?? 0);
  return {
    isInstalled: state.get('LoadState') === 'loaded',
    isEnabled: state.get('UnitFileState') === 'enabled',
    condition,
    since: condition === 'running' ? utcInstant(state.get('ActiveEnterTimestamp')) : undefined,
    pid: pid > 0 ? pid : undefined,
    restarts: Number(state.get('NRestarts') ?? 0),
    lastExit: exitOf(state),
    port,
    heldPort: held?.get('ActiveState') === 'active' ? port : undefined,
  };
}

function parseProperties(block: string): Properties {
  return new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

function exitOf(state: Properties): ServiceExit | undefined {
  const how = Number(state.get('ExecMainCode') ?? 0);
  if (how === 0) return undefined;
  const status = Number(state.get('ExecMainStatus'));
  const exit = how === exited ? { code: status } : { signal: status };
  return state.get('Result') === 'watchdog' ? { ...exit, wasHung: true } : exit;
}

/** `Wed 2026-01-07 10:11:12 UTC`, because our runner asks for universal time; empty when it never was. */
function utcInstant(text = ''): string | undefined {
  const match = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/u.exec(text);
  return match === null ? undefined : `${match[1]}T${match[2]}Z`;
}

/** `127.0.0.1:43098 (Stream)`, also while the socket is not held. */
function listenPort(socket: Properties | undefined): number | undefined {
  const port = /:(\d+) \(Stream\)/u.exec(socket?.get('Listen') ?? '')?.[1];
  return port === undefined ? undefined : Number(port);
}
