import { ExitError } from '../model/exit-error.ts';

/** The services there are: the daemon, and the object server as a process of its own. */
export type ServiceName = 'waypointd' | 'waypointd-objects';

/** One line for lists of services. */
export const serviceTitles: Readonly<Record<ServiceName, string>> = {
  waypointd: 'Waypoints and tracks (waypointd)',
  'waypointd-objects': 'Object server of waypointd',
};

/** Program that a service manager runs, on any platform. */
export interface ServiceProgram {
  readonly name: ServiceName;
  readonly title: string;
  /** Absolute path of the Node.js that runs it. */
  readonly node: string;
  /** Absolute path of `bin/waypointd.js`, then the words of the command. */
  readonly words: readonly string[];
}

/** In the first lines of every file that `waypointd service install` writes; a file without it is not ours. */
export const marker = 'Written by "waypointd service install"';

/**
 * After these another start changes nothing (sysexits(3), contract A): wrong usage, data of a newer version, no Node.js,
 * no store, running already or port taken, wrong settings.
 */
export const finalExitCodes = [64, 65, 69, 74, 75, 78] as const;

/** Refuses a text that a service manager's file cannot hold. */
export function unfitText(sentence: string): ExitError {
  return new ExitError(`${sentence}\nNothing was changed.`);
}

/** @throws ExitError when the text has a line break or another control character, which no service file can hold. */
export function refuseControls(text: string): void {
  if (!/\p{Cc}/u.test(text)) return;
  throw unfitText(
    `A service file cannot hold the line break or control character in ${JSON.stringify(text)}.`,
  );
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The inverse of {@link xmlText}. */
export function plainText(xml: string): string {
  return xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

export function xmlText(text: string): string {
  refuseControls(text);
  return text.replaceAll(/[&<>]/gu, (character) => entities[character] ?? character);
}
