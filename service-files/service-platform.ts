import type { CommandLine, Runner } from './command-line.ts';
import type { ServiceName, ServiceProgram } from './service-program.ts';

export interface ServiceChoice {
  readonly name: ServiceName;
  /** Serves the whole machine instead of one user. */
  readonly isSystem: boolean;
}

/** Definition of a service on any platform. Paths are absolute. */
export interface ServiceSpec extends ServiceProgram {
  /** Held by the service manager where it can; undefined for none. */
  readonly port: number | undefined;
  /** Directories that it writes to; made before its first start. */
  readonly writable: readonly string[];
  /** Whether its cache directory is the usual one of this user, which systemd makes. */
  readonly hasCacheDirectory: boolean;
  /** False for a service without any network but its own socket. */
  readonly hasNetwork: boolean;
  /** Whether `config.json` says where to log. */
  readonly hasLogFile: boolean;
  /** Windows: the wrapper program of a service of the machine. */
  readonly wrapper?: string | undefined;
}

export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** UTF-8 unless given; UTF-16 has a byte order mark. */
  readonly encoding?: 'utf16le';
  /** Only read by one of the commands, and removed after them. */
  readonly isTemporary?: boolean;
}

/** Everything that an install may do, as data; `installSteps` makes the steps of it that are left. */
export interface InstallPlan {
  /** Made first, for their owner only; what is there stays as it is. */
  readonly directories: readonly string[];
  readonly files: readonly ServiceFile[];
  /** Before files of an earlier install are changed or removed. */
  readonly beforeChange: readonly CommandLine[];
  /** After the files are written; `isChanged` when any was written or removed. */
  readonly activate: (isChanged: boolean) => readonly CommandLine[];
  /** Notes about this service for the user. */
  readonly remarks: readonly string[];
  /** The same with less of a sandbox, for where the first cannot be started. */
  readonly fallback?: InstallPlan;
}

export type ServiceCondition = 'running' | 'starting' | 'stopping' | 'stopped' | 'failed';

export interface ServiceState {
  readonly isInstalled: boolean;
  /** Whether it starts by itself: at login, or at boot. */
  readonly isEnabled: boolean;
  readonly condition: ServiceCondition;
  /** ISO 8601: when it began to run. */
  readonly since?: string | undefined;
  readonly pid?: number | undefined;
  /** How often it was started again after it had failed. */
  readonly restarts?: number | undefined;
  readonly lastExit?: ServiceExit | undefined;
  /** The port that the service was installed for, where the manager knows it. */
  readonly port?: number | undefined;
  /** The same, while the manager itself holds it for the service. */
  readonly heldPort?: number | undefined;
}

/** State of a service that its manager does not know. */
export const notInstalled: ServiceState = {
  isInstalled: false,
  isEnabled: false,
  condition: 'stopped',
};

export interface ServiceExit {
  readonly code?: number;
  readonly signal?: number;
  /** The manager ended it, because it gave no sign of life. */
  readonly wasHung?: boolean;
}

/** One service of one service manager, as data and pure functions: only `readState` asks anything. */
export interface ServicePlatform {
  readonly host: ServiceHost;
  readonly choice: ServiceChoice;
  /** Name for people: `your own systemd service waypointd`. */
  readonly title: string;
  /** Where its data is and stays, unless that is this user's data directory. */
  readonly machineData?: string;
  /** Every file that an install may leave. */
  readonly ownFiles: readonly string[];
  /** Directories that an uninstall removes if they are empty, the inner ones first. */
  readonly ownDirectories: readonly string[];
  /** @throws ExitError for a path that the service manager cannot express */
  readonly plan: (spec: ServiceSpec) => InstallPlan;
  readonly start: readonly CommandLine[];
  readonly stop: readonly CommandLine[];
  readonly restart: readonly CommandLine[];
  /** Around the removal of its files. */
  readonly uninstall: {
    readonly beforeFiles: readonly CommandLine[];
    readonly afterFiles: readonly CommandLine[];
  };
  readonly logs: (lines: number, follow: boolean) => CommandLine;
  readonly readState: () => Promise<ServiceState>;
}

/** The machine and user that a service is installed for, and this program on it. */
export interface ServiceHost {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** Undefined on Windows. */
  readonly uid: number | undefined;
  /** The account's name; on Windows `DOMAIN\name`. */
  readonly user: string;
  /** Directories whose content goes by itself. */
  readonly temporary: readonly string[];
  /** Node.js binaries that can run this program, the best for a service first. */
  readonly nodes: readonly string[];
  /** `bin/waypointd.js` of this program. */
  readonly launcher: string;
  readonly run: Runner;
  /** Makes a directory for its owner only, with its parents; one that is there stays as it is. */
  readonly makeDirectory: (path: string) => void;
  /** Writes a file whole or not at all. */
  readonly writeFile: (
    path: string,
    data: string | Uint8Array,
    options: { readonly mode: number },
  ) => Promise<void>;
}
