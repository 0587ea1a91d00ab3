/** The thread that speaks with GeoClue over the system bus; see geoclue.ts. It posts what it finds until it is ended. */
import type { EventEmitter } from 'node:events';
import { parentPort } from 'node:worker_threads';
import {
  DBusError,
  Message,
  MessageFlag,
  systemBus,
  Variant,
  type MessageBus,
  type MessageLike,
} from '@jellybrick/dbus-next';
import { limits } from '../../model/limits.ts';
import { SourceFailed, type SourceFailure } from './location-source.ts';

/** The properties of a location as they came, or why there will be none. */
export type GeoclueMessage =
  | { readonly location: Readonly<Record<string, unknown>> }
  | { readonly failure: SourceFailure };

const geoclue = 'org.freedesktop.GeoClue2';
const clientInterface = `${geoclue}.Client`;
const busName = 'org.freedesktop.DBus';
const properties = 'org.freedesktop.DBus.Properties';
/** The name under which GeoClue, its agents and its configuration know us. */
const desktopId = 'waypointd';
/** As exact as the machine can: GCLUE_ACCURACY_LEVEL_EXACT. */
const exact = 8;
/** The agent of the desktop may ask a person whether we may know. */
const consentMs = 60_000;
/** A bus that has gone says nothing: we look whether our client still is there. */
const checkMs = 20_000;

function post(message: GeoclueMessage): void {
  parentPort?.postMessage(message);
}

/** Calls a method of GeoClue, which must answer within the limit. */
async function call(
  bus: MessageBus,
  message: MessageLike,
  limitMs: number = limits.locationTimeoutMs,
): Promise<Message> {
  const reply = await within(limitMs, bus.call(new Message({ destination: geoclue, ...message })));
  if (reply === null) throw new SourceFailed('silent');
  return reply;
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new SourceFailed('silent')), limitMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function propertyCall(path: string, member: string, signature: string, body: unknown[]) {
  return { path, interface: properties, member, signature, body };
}

async function setProperty(bus: MessageBus, client: string, name: string, value: Variant) {
  await call(bus, propertyCall(client, 'Set', 'ssv', [clientInterface, name, value]));
}

/** Reads all properties of an object; GeoClue is not started for it. */
async function readProperties(bus: MessageBus, path: string, of: string) {
  const message = propertyCall(path, 'GetAll', 's', [of]);
  const { body } = await call(bus, { ...message, flags: MessageFlag.NO_AUTO_START });
  const [all] = body;
  if (typeof all !== 'object' || all === null) return {};
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, variant]: [string, unknown]) =>
      variant instanceof Variant ? [[name, variant.value]] : [],
    ),
  );
}

/** Asks GeoClue for a client of our own. */
async function openClient(bus: MessageBus): Promise<{ client: string; owner: string }> {
  const { body, sender } = await call(bus, {
    path: '/org/freedesktop/GeoClue2/Manager',
    interface: `${geoclue}.Manager`,
    member: 'GetClient',
  });
  const [client] = body;
  if (typeof client !== 'string') throw new SourceFailed('silent');
  return { client, owner: sender };
}

/** Posts each location that GeoClue names, one read at a time; while one is read, only the newest name is kept. */
class LocationReader {
  readonly #bus: MessageBus;
  #isReading = false;
  #next: string | undefined;
  #last: string | undefined;

  constructor(bus: MessageBus) {
    this.#bus = bus;
  }

  /** @param path Of the location's object; `/` means that there is none. */
  async read(path: unknown): Promise<void> {
    if (typeof path !== 'string' || path === '/' || path === this.#last) return;
    this.#next = path;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#next !== undefined) {
      this.#last = this.#next;
      this.#next = undefined;
      try {
        post({ location: await readProperties(this.#bus, this.#last, `${geoclue}.Location`) });
      } catch {
        // GeoClue drops a location when it has a newer one, which it then names.
      }
    }
    this.#isReading = false;
  }
}

/** Has the bus send us the signals that match a rule. */
async function subscribe(bus: MessageBus, rule: string): Promise<void> {
  await call(bus, {
    destination: busName,
    path: '/org/freedesktop/DBus',
    interface: busName,
    member: 'AddMatch',
    signature: 's',
    body: [`type='signal',${rule}`],
  });
}

/** Has our client find the position; it takes as long as a person takes to agree. */
async function begin(bus: MessageBus, client: string): Promise<void> {
  try {
    await call(bus, { path: client, interface: clientInterface, member: 'Start' }, consentMs);
  } catch (error) {
    // A person who does not answer has not agreed.
    throw error instanceof SourceFailed ? new SourceFailed('refused') : error;
  }
}

async function watch(bus: MessageBus): Promise<void> {
  const { client, owner } = await openClient(bus);
  const reader = new LocationReader(bus);
  // Anybody on the bus may send us signals of these names: who sent them counts.
  bus.on('message', ({ sender, path, member, body }) => {
    if (sender === owner && path === client && member === 'LocationUpdated')
      void reader.read(body[1]);
    if (sender === busName && member === 'NameOwnerChanged' && body[0] === geoclue)
      post({ failure: 'ended' });
  });
  await subscribe(bus, `sender='${geoclue}',path='${client}',member='LocationUpdated'`);
  await subscribe(bus, `sender='${busName}',member='NameOwnerChanged',arg0='${geoclue}'`);
  await setProperty(bus, client, 'DesktopId', new Variant('s', desktopId));
  await setProperty(bus, client, 'RequestedAccuracyLevel', new Variant('u', exact));
  await begin(bus, client);
  for (;;) {
    const { Location } = await readProperties(bus, client, clientInterface);
    await reader.read(Location);
    await new Promise((resolve) => setTimeout(resolve, checkMs));
  }
}

function fail(error: unknown): void {
  post({ failure: failureOf(error) });
}

function failureOf(error: unknown): SourceFailure {
  if (error instanceof SourceFailed) return error.code;
  if (!(error instanceof DBusError)) return 'no_bus';
  return error.type.endsWith('.AccessDenied') ? 'refused' : 'not_started';
}

const bus = systemBus();
// The library's types do not know this event; without a listener it would be an exception.
(bus as EventEmitter).on('error', fail);
watch(bus).catch(fail);
