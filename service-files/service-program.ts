/** The services there are: the daemon, and the object server as a process of its own. */
export type ServiceName = 'waypointd' | 'waypointd-objects';

/** What a service manager is to run, whatever the platform. */
export interface ServiceProgram {
  readonly name: ServiceName;
  /** One line for lists of services. */
  readonly title: string;
  /** Absolute path of the Node.js that runs it. */
  readonly node: string;
  /** Absolute path of `bin/waypointd.js`, then the words of the command. */
  readonly words: readonly string[];
}

/** The first words of every file that `waypointd service install` writes; a file without them is somebody else's. */
export const marker = 'Written by "waypointd service install"';

/**
 * After these another start changes nothing (sysexits(3), contract A): wrong usage, data of a newer version, no Node.js,
 * no store, running already or port taken, wrong settings.
 */
export const finalExitCodes = [64, 65, 69, 74, 75, 78] as const;

/** A text that a service manager's file cannot hold. The message is a sentence for whoever installs. */
export class UnfitText extends Error {
  override readonly name = 'UnfitText';
}

/** @throws UnfitText when the text has a line break or another control character, which no service file can hold. */
export function refuseControls(text: string): void {
  if (!/\p{Cc}/u.test(text)) return;
  throw new UnfitText(
    `A service file cannot hold the line break or control character in ${JSON.stringify(text)}.`,
  );
}

/** What launchd calls a service. */
export function launchdLabel(name: ServiceName): string {
  return `local.${name}`;
}

/** launchd restarts a program that has failed, whatever its exit code, but not sooner than so after its last start, s. */
export const launchdPauseS = 60;
