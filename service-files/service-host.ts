import type { Runner } from './command-line.ts';

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
