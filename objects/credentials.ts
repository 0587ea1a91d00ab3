import { hash, randomUUID } from 'node:crypto';
import { WaypointError } from '../model/failure.ts';
import { objectLimits, userName } from '../model/objects.ts';
import type { Clock, Log } from '../model/process.ts';
import type { UserRow } from '../storage/objects/directory.ts';
import { networkOf } from './client-address.ts';
import { expiring, type Expiring } from './expiring.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { spread } from './request-limiter.ts';

/** Passwords that were right are remembered for this long: every object of a push would cost 50 ms otherwise. */
const rememberMs = 60_000;
const remembered = 1_000;
/** Password checks that run and that wait at once; 429 beyond. */
const checksAtOnce = 2;
const checksWaiting = 32;
/**
 * After so many wrong passwords in a minute, an address has to wait for the rest of it: with one user, who is let in from
 * everywhere else, or with every user, because each guess costs 50 ms of the processor.
 */
const wrongPerMinute = { ofUser: 10, inAll: 30 };
const minuteMs = 60_000;
const watched = 10_000;

export interface Login {
  readonly user: string;
  /** Whether a user may have that name; what may have none may be a password that was typed too early. */
  readonly isName: boolean;
  readonly password: string;
}

/**
 * Reads an `Authorization` of the scheme Basic; the oldest clients write base64 with the URL alphabet.
 * @returns undefined for anything else.
 */
export function readBasic(header: string): Login | undefined {
  const match = /^basic +([A-Za-z0-9+/_-]+=*) *$/iu.exec(header);
  if (match?.[1] === undefined) return undefined;
  // Node reads both alphabets.
  const text = Buffer.from(match[1], 'base64').toString();
  const colon = text.indexOf(':');
  if (colon === -1 || text.length > objectLimits.passwordBytes) return undefined;
  const user = text.slice(0, colon);
  return { user, isName: userName.safeParse(user).success, password: text.slice(colon + 1) };
}

/** Checks names and passwords, slowly for guessers and quickly for those who were right a moment ago. */
export class Logins {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #salt = randomUUID();
  /** By a digest of name, password and stored hash: a changed password is not remembered. */
  readonly #right: Expiring<true>;
  readonly #wrong: Expiring<{ count: number }>;
  /** Each ends with its newest check. */
  readonly #lanes: Promise<unknown>[] = Array.from({ length: checksAtOnce }, () =>
    Promise.resolve(),
  );
  #checks = 0;
  #decoy: Promise<string> | undefined;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#right = expiring(clock, rememberMs, remembered);
    this.#wrong = expiring(clock, minuteMs, watched);
  }

  /**
   * @param user who has that name, if anyone.
   * @param from the client's address, for counting its mistakes.
   * @returns whether name and password are right.
   * @throws WaypointError busy after too many wrong ones.
   */
  async check(login: Login, user: UserRow | undefined, from: string): Promise<boolean> {
    const digest = this.#digest(login, user);
    if (user !== undefined && this.#right.get(digest) !== undefined) return true;
    const network = networkOf(from);
    const pair = `${network} ${login.user.toLowerCase()}`;
    this.#refuseGuesser(pair, wrongPerMinute.ofUser);
    this.#refuseGuesser(network, wrongPerMinute.inAll);
    if (!(await this.#isRight(login, user))) {
      for (const name of [pair, network]) this.#countWrong(name);
      const named = login.isName ? login.user : '(no user name)';
      this.#log.warn('objects.login_failed', { address: from, user: named });
      return false;
    }
    this.#right.set(digest, true);
    return true;
  }

  #digest({ user, password }: Login, row: UserRow | undefined): string {
    return hash('sha256', JSON.stringify([this.#salt, user, password, row?.password]), 'base64');
  }

  async #isRight({ password }: Login, user: UserRow | undefined): Promise<boolean> {
    if (this.#checks >= checksAtOnce + checksWaiting) {
      throw new WaypointError('busy', { retryAfterSeconds: spread(1) });
    }
    this.#checks += 1;
    // An unknown name takes as long as a wrong password, so that names cannot be found out.
    this.#decoy ??= hashPassword('');
    const check = async () => isPassword(password, user?.password ?? (await this.#decoy)!);
    const checked = this.#lanes.shift()!.then(check);
    this.#lanes.push(checked.catch(() => undefined));
    try {
      return (await checked) && user !== undefined;
    } finally {
      this.#checks -= 1;
    }
  }

  #refuseGuesser(name: string, most: number): void {
    const mistakes = this.#wrong.get(name);
    if (mistakes === undefined || mistakes.value.count < most) return;
    const seconds = Math.ceil((mistakes.until - this.#clock.monotonic()) / 1_000);
    throw new WaypointError('busy', { retryAfterSeconds: spread(seconds) });
  }

  #countWrong(name: string): void {
    const mistakes = this.#wrong.get(name);
    if (mistakes === undefined) this.#wrong.set(name, { count: 1 });
    else mistakes.value.count += 1;
  }
}
