import type { ServiceSpec } from '../service-platform.ts';
import {
  finalExitCodes,
  marker,
  refuseControls,
  type ServiceName,
  type ServiceProgram,
  unfitText,
} from '../service-program.ts';

/** A service of the whole machine, under a user of its own that exists only while it runs. */
export interface SystemUnit extends ServiceProgram {
  /** Whether a socket unit of the same name holds its port. */
  readonly hasSocket: boolean;
}

/** A service of one user. It may write to `writable`, which must be there when it starts. */
export interface UserUnit extends SystemUnit, Pick<ServiceSpec, 'writable' | 'hasCacheDirectory'> {
  /** False where the kernel gives users no namespaces (AppArmor in Ubuntu 24.04): such a unit would not start. */
  readonly isSandboxed: boolean;
}

/**
 * Rights that the program does not need and every service manager can take away: tested one by one with V8, WebAssembly,
 * worker threads, SQLite and loopback HTTP. MemoryDenyWriteExecute= is missing because V8 compiles while it runs:
 * Node.js would abort at its start.
 */
const limits = `NoNewPrivileges=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
UMask=0077
LimitNOFILE=4096
# A core dump would hold the token and the places.
LimitCORE=0
`;

/** The same for what needs namespaces of its own; in a service of a user all of it depends on PrivateUsers=. */
const namespaces = `PrivateUsers=yes
CapabilityBoundingSet=
PrivateTmp=yes
PrivateDevices=yes
DevicePolicy=closed
ProtectSystem=strict
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
ProcSubset=pid
`;

/** Renders the unit of a user's own service: `~/.config/systemd/user/NAME.service`. */
export function renderUserUnit(unit: UserUnit): string {
  const { name } = unit;
  return `# ${marker}; "waypointd service uninstall" removes it.
# The next install overwrites changes made here: make them with "systemctl --user edit ${name}".
${unitSection(unit)}
${lifeCycle(unit)}
${isDaemon(unit) ? runtimeDirectory : ''}${unit.hasCacheDirectory ? cacheDirectory : ''}
${unit.isSandboxed ? sandbox(unit) : noSandbox}
${limits}
[Install]
WantedBy=default.target
${also(unit)}`;
}

function sandbox({ writable }: UserUnit): string {
  return `# It may read the home directory, to import from it, and write only here:
${writable.map((path) => `ReadWritePaths=${quoted(path)}`).join('\n')}
ProtectHome=read-only
InaccessiblePaths=-%h/.ssh -%h/.gnupg -%h/.aws -%h/.mozilla
${namespaces}`;
}

const noSandbox =
  '# Without PrivateUsers= and all that depends on it: this system gives the services of users no namespaces.';

/** Renders the unit of a service of the whole machine: `/etc/systemd/system/NAME.service`. */
export function renderSystemUnit(unit: SystemUnit): string {
  const { name } = unit;
  return `# ${marker}; "waypointd service uninstall --system" removes it.
# The next install overwrites changes made here: make them with "systemctl edit ${name}".
${unitSection(unit)}
${lifeCycle(unit)}
# A user that exists only while this runs. It cannot see home directories: imports come from elsewhere, such as /srv.
DynamicUser=yes
Environment=HOME=%S/${name}
StateDirectory=${name}
StateDirectoryMode=0700
${isDaemon(unit) ? `${cacheDirectory}RuntimeDirectory=waypointd\nRuntimeDirectoryMode=0700\n` : ''}
ProtectHome=yes
PrivateIPC=yes
AmbientCapabilities=
${namespaces}
${limits}
[Install]
WantedBy=multi-user.target
${also(unit)}`;
}

/** A daemon started by hand keeps its daemon.json there when this service fails to start beside it. */
const runtimeDirectory = `RuntimeDirectory=waypointd
RuntimeDirectoryMode=0700
RuntimeDirectoryPreserve=yes
`;

const cacheDirectory = 'CacheDirectory=waypointd\nCacheDirectoryMode=0700\n';

/** The object server writes no hand-over file and has no cache. */
function isDaemon({ name }: SystemUnit): boolean {
  return name === 'waypointd';
}

/** Wants=, not Requires=: a service without its socket still starts, and says who has the port. */
function unitSection({ title, name, hasSocket }: SystemUnit): string {
  const socket = hasSocket ? `Wants=${name}.socket\nAfter=${name}.socket\n` : '';
  return `[Unit]
Description=${title}
${socket}StartLimitIntervalSec=60
StartLimitBurst=5
`;
}

/**
 * KillMode=mixed: SIGTERM to all processes would also hit the short-lived `systemd-notify` that reports the end.
 * TimeoutStartSec: the copy and upgrade of a large store come before the program is ready.
 */
function lifeCycle({ name, node, words }: SystemUnit): string {
  const command = [programWord(node), ...words.map(argumentWord)].join(' ');
  return `[Service]
Type=notify
NotifyAccess=all
WatchdogSec=30
TimeoutStartSec=300
ExecStart=${command}
SyslogIdentifier=${name}
Restart=on-failure
RestartSec=1
RestartPreventExitStatus=${finalExitCodes.join(' ')}
KillMode=mixed
TimeoutStopSec=15
# What is set for other Node.js programs must not change this one.
UnsetEnvironment=NODE_OPTIONS NODE_PATH NODE_DEBUG NODE_V8_COVERAGE NODE_TLS_REJECT_UNAUTHORIZED
# glibc returns freed memory to the system; else it grows for an hour.
Environment=MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=262144 MALLOC_TRIM_THRESHOLD_=262144
`;
}

function also({ name, hasSocket }: SystemUnit): string {
  return hasSocket ? `Also=${name}.socket\n` : '';
}

/**
 * Renders the socket unit, the same for a user and for the machine. It holds the port while the service restarts:
 * clients that connect in between wait and are answered by the new process.
 */
export function renderSocketUnit(name: ServiceName, port: number): string {
  return `# ${marker}; "waypointd service uninstall" removes it.
[Unit]
Description=Port of ${name}

[Socket]
ListenStream=127.0.0.1:${port}

[Install]
WantedBy=sockets.target
`;
}

/**
 * Renders a drop-in that leaves a service no network at all. The one socket it serves on comes from the socket unit and
 * works all the same; so that unit is required, or the service would listen out of reach.
 */
export function renderNoNetwork(name: ServiceName): string {
  return `# ${marker}
[Unit]
Requires=${name}.socket

[Service]
PrivateNetwork=yes
`;
}

/**
 * Quotes the program of ExecStart=. Specifiers (`%`) are replaced in it and have to be doubled; quotation marks and
 * backslashes are refused by systemd however they are written, and a `$` finds no program.
 */
function programWord(path: string): string {
  const refused = /["'\\$]/u.exec(path)?.[0];
  if (refused !== undefined) {
    throw unfitText(`systemd cannot start a program whose path has a ${refused} in it: ${path}`);
  }
  return quoted(path);
}

/** Quotes an argument of ExecStart=: also `$`, which would begin a variable. */
function argumentWord(text: string): string {
  return quoted(text).replaceAll('$', '$$$$');
}

/** Quotes a path: escapes of C are understood in quoted words, and specifiers replaced. */
function quoted(text: string): string {
  refuseControls(text);
  const escaped = text.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`);
  return `"${escaped.replaceAll('%', '%%')}"`;
}
