import { hash, randomBytes } from 'node:crypto';
import { WaypointError } from '../../model/failure.ts';
import type { Clock } from '../../model/process.ts';

/** A code is of use for this long, ms: a browser that has to be started needs some seconds. */
const codeMs = 60_000;
/** The map ends when it has not heard of any page for this long, ms; an answer that one of them holds notes that they are there. */
const unusedMs = 600_000;
const maxSessions = 32;
const maxCodes = 32;
const secretBytes = 32;

interface Code {
  readonly madeAt: number;
  readonly onUsed: () => void;
}

/**
 * The one-time codes that were given out, and the pages that have traded one for a secret. Both are kept as digests, so
 * that finding one takes no time that would help to guess another.
 */
export class Sessions {
  readonly #clock: Clock;
  readonly #codes = new Map<string, Code>();
  /** When their pages were last heard of. */
  readonly #sessions = new Map<string, number>();
  #lastUse: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastUse = clock.monotonic();
  }

  /** Makes a code that opens one session, once, within a minute; of too many the oldest is of no use any more. */
  newCode(onUsed: () => void): string {
    const [oldest] = this.#codes.keys();
    if (oldest !== undefined && this.#codes.size >= maxCodes) this.#codes.delete(oldest);
    return remember(this.#codes, { madeAt: this.#touch(), onUsed });
  }

  /**
   * Trades a code for the secret of a new session.
   * @throws WaypointError no_session for a code that is wrong, used or too old; busy beyond 32 sessions in use
   */
  open(code: string): string {
    const now = this.#clock.monotonic();
    const key = digest(code);
    const found = this.#codes.get(key);
    if (found === undefined || now - found.madeAt >= codeMs) throw new WaypointError('no_session');
    if (this.#sessions.size >= maxSessions) this.#dropUnused(now);
    if (this.#sessions.size >= maxSessions) throw new WaypointError('busy');
    this.#codes.delete(key);
    found.onUsed();
    return remember(this.#sessions, this.#touch());
  }

  /** Tells whether a secret is that of a session, and notes that its page is there. */
  isOpen(secret: string): boolean {
    const key = digest(secret);
    if (!this.#sessions.has(key)) return false;
    this.#sessions.set(key, this.#touch());
    return true;
  }

  /** Whether no page was heard of for ten minutes. */
  isUnused(): boolean {
    return this.#clock.monotonic() - this.#lastUse >= unusedMs;
  }

  #dropUnused(now: number): void {
    for (const [key, at] of this.#sessions) if (now - at >= unusedMs) this.#sessions.delete(key);
  }

  #touch(): number {
    return (this.#lastUse = this.#clock.monotonic());
  }
}

function remember<T>(kept: Map<string, T>, value: T): string {
  const secret = randomBytes(secretBytes).toString('base64url');
  kept.set(digest(secret), value);
  return secret;
}

function digest(text: string): string {
  return hash('sha256', text);
}
