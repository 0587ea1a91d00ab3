/** Speaks with GeoClue over the system bus, in a thread (see geoclue.ts), and posts locations until it is ended. */
import { EventEmitter, once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import {
  DBusError,
  Message,
  MessageFlag,
  systemBus,
  Variant,
  type MessageLike,
} from '@jellybrick/dbus-next';
import { limits } from '../../model/limits.ts';
import { SourceFailed, type SourceFailure } from './location-source.ts';

/** The properties of a location, or the reason for the end. */
export type GeoclueMessage =
  | { readonly location: Readonly<Record<string, unknown>> }
  | { readonly failure: SourceFailure };

const geoclue = 'org.freedesktop.GeoClue2';
const clientInterface = `${geoclue}.Client`;
const busName = 'org.freedesktop.DBus';
const properties = 'org.freedesktop.DBus.Properties';
/** Our name for GeoClue, its agents and its configuration. */
const desktopId = 'waypointd';
/** As exact as the machine can: GCLUE_ACCURACY_LEVEL_EXACT. */
const exact = 8;
/** The agent of the desktop may ask the user for consent. */
const consentMs = 60_000;
/** A lost bus is silent: the client is asked again after so long. */
const checkMs = 20_000;

function post(message: GeoclueMessage): void {
  parentPort?.postMessage(message);
}

const bus = systemBus();

/** Calls a method of GeoClue, which must answer within the limit. */
async function call(
  message: MessageLike,
  limitMs: number = limits.locationTimeoutMs,
): Promise<Message> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, limitMs, null);
  try {
    const answer = bus.call(new Message({ destination: geoclue, ...message }));
    const reply = await Promise.race([answer, late.promise]);
    if (reply === null) throw new SourceFailed('silent');
    return reply;
  } finally {
    clearTimeout(timer);
  }
}

async function setProperty(path: string, name: string, value: Variant): Promise<void> {
  const body = [clientInterface, name, value];
  await call({ path, interface: properties, member: 'Set', signature: 'ssv', body });
}

/** Reads all properties of an object; GeoClue is not started for it. */
async function readProperties(path: string, of: string): Promise<Record<string, unknown>> {
  const message = { path, interface: properties, member: 'GetAll', signature: 's', body: [of] };
  const { body } = await call({ ...message, flags: MessageFlag.NO_AUTO_START });
  const [all] = body;
  if (typeof all !== 'object' || all === null) return {};
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, variant]: [string, unknown]) =>
      variant instanceof Variant ? [[name, variant.value]] : [],
    ),
  );
}

/** Has the bus send the signals that match a rule. */
async function subscribe(rule: string): Promise<void> {
  await call({
    destination: busName,
    path: '/org/freedesktop/DBus',
    interface: busName,
    member: 'AddMatch',
    signature: 's',
    body: [`type='signal',${rule}`],
  });
}

async function watch(): Promise<void> {
  const { body, sender: owner } = await call({
    path: '/org/freedesktop/GeoClue2/Manager',
    interface: `${geoclue}.Manager`,
    member: 'GetClient',
  });
  const [client] = body;
  if (typeof client !== 'string') throw new SourceFailed('silent');
  const updates = new EventEmitter();
  // Any program on the bus may send such signals: only these senders count.
  bus.on('message', ({ sender, path, member, body }) => {
    if (sender === owner && path === client && member === 'LocationUpdated') updates.emit('one');
    if (sender === busName && member === 'NameOwnerChanged' && body[0] === geoclue)
      post({ failure: 'ended' });
  });
  await subscribe(`sender='${geoclue}',path='${client}',member='LocationUpdated'`);
  await subscribe(`sender='${busName}',member='NameOwnerChanged',arg0='${geoclue}'`);
  await setProperty(client, 'DesktopId', new Variant('s', desktopId));
  await setProperty(client, 'RequestedAccuracyLevel', new Variant('u', exact));
  await call({ path: client, interface: clientInterface, member: 'Start' }, consentMs).catch(
    (error: unknown) => {
      // No answer is no consent.
      throw error instanceof SourceFailed ? new SourceFailed('refused') : error;
    },
  );
  // GeoClue's path for no location.
  let last: unknown = '/';
  for (;;) {
    const update = once(updates, 'one', { signal: AbortSignal.timeout(checkMs) });
    const waited = update.catch(() => undefined);
    const { Location } = await readProperties(client, clientInterface);
    if (typeof Location === 'string' && Location !== '/' && Location !== last) {
      last = Location;
      const location = await readProperties(Location, `${geoclue}.Location`).catch(() => undefined);
      // GeoClue drops a location when it has a newer one, which comes next.
      if (location !== undefined) post({ location });
    }
    await waited;
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

// The library's types do not know this event; without a listener it would be an exception.
(bus as EventEmitter).on('error', fail);
watch().catch(fail);
