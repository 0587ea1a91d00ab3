/** A whole daemon against a plain model of it: after every step all that it answers must agree. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { limits } from '../model/limits.ts';
import { normalTag, type Tag } from '../model/tag.ts';
import type { Place } from '../model/waypoint.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { importTree } from './helpers/imported-files.ts';
import { gpx } from './helpers/imports.ts';
import { keyOf, ReferenceStore, type ListedPlace } from './reference/store.ts';
import { rounds } from './helpers/effort.ts';

/** Few of all, so that they meet: one name in two forms, one position with two signs of its zero and its antimeridian. */
const names = fc.constantFrom('Hut', '🏔️ Gipfel', 'Caf\u00e9', 'Cafe\u0301');
const positions = fc.constantFrom(
  { lat: 46.5, lon: 8.2 },
  { lat: 0, lon: 180 },
  { lat: -0, lon: -180 },
);
const places: fc.Arbitrary<Place> = fc
  .tuple(names, positions)
  .map(([name, position]) => ({ name, ...position }));
const tags = fc.constantFrom('home', '🏠', 'Beach', 'beach', 'x');
const paths = fc.constantFrom('a.gpx', 'b/c.gpx', 'b.gpx');

/** Mostly one of the bookmarks that are there, so that they are changed again and again. */
type Chosen = Place | { readonly bookmark: number };
const chosen: fc.Arbitrary<Chosen> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ bookmark: fc.nat(2) }) },
  { weight: 1, arbitrary: places },
);

type Step =
  | { readonly kind: 'add'; readonly place: Place; readonly tags: readonly string[] }
  | { readonly kind: 'change'; readonly place: Chosen; readonly to: Place | 'back' }
  | { readonly kind: 'remove'; readonly place: Chosen }
  | { readonly kind: 'tag'; readonly place: Place; readonly tags: readonly string[] }
  | { readonly kind: 'untag'; readonly place: Place; readonly tag: string }
  | { readonly kind: 'hide' | 'show'; readonly place: Place }
  | { readonly kind: 'rename-tag'; readonly tag: string; readonly to: string }
  | { readonly kind: 'import'; readonly path: string; readonly content: readonly Place[] }
  /** Stops, perhaps loses the library or a private file, and starts again. */
  | { readonly kind: 'restart'; readonly lost?: string | undefined };

const steps: Readonly<Record<Step['kind'], [weight: number, fc.Arbitrary<object>]>> = {
  add: [4, fc.record({ place: places, tags: fc.array(tags, { maxLength: 2 }) })],
  change: [
    10,
    fc.record({ place: chosen, to: fc.oneof(places, places, fc.constant('back' as const)) }),
  ],
  remove: [3, fc.record({ place: chosen })],
  tag: [2, fc.record({ place: chosen, tags: fc.array(tags, { minLength: 1, maxLength: 3 }) })],
  untag: [1, fc.record({ place: chosen, tag: tags })],
  hide: [2, fc.record({ place: places })],
  show: [1, fc.record({ place: places })],
  'rename-tag': [1, fc.record({ tag: tags, to: tags })],
  import: [2, fc.record({ path: paths, content: fc.array(places, { maxLength: 6 }) })],
  restart: [
    1,
    fc.record({
      lost: fc.constantFrom(undefined, 'library.sqlite', 'imports/a.gpx', 'imports/b/c.gpx'),
    }),
  ],
};

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  ...Object.entries(steps).map(([kind, [weight, rest]]) => ({
    weight,
    arbitrary: rest.map((fields) => ({ kind, ...fields }) as Step),
  })),
);
/** Begins with twins: what is imported first is what is bookmarked next. */
const walks = fc
  .tuple(
    fc.array(places, { minLength: 3, maxLength: 6 }),
    fc.array(anyStep, { minLength: 30, maxLength: 40 }),
  )
  .map(([twins, rest]): Step[] => [
    { kind: 'import', path: 'b.gpx', content: twins },
    ...twins.slice(0, 2).map((place): Step => ({ kind: 'add', place, tags: ['home'] })),
    ...rest,
  ]);

const [a, b, c, d] = ['Hut', 'Inn', 'Pass', 'Top'].map((name) => ({ name, lat: 46.5, lon: 8.2 }));
const add = (place: Place): Step => ({ kind: 'add', place, tags: ['home'] });
const move = (place: Place, to: Place): Step => ({ kind: 'change', place, to });
const remove = (place: Place): Step => ({ kind: 'remove', place });
const hide = (place: Place): Step => ({ kind: 'hide', place });
const show = (place: Place): Step => ({ kind: 'show', place });
const begin: Step[] = [{ kind: 'import', path: 'a.gpx', content: [a!, d!] }, add(a!)];
/** What a walk seldom meets by itself. */
const examples: [Step[]][] = [
  // There and back, at once or by a detour with a stop on the way; then onto another twin.
  [[...begin, move(a!, b!), move(b!, a!), remove(a!)]],
  [[...begin, move(a!, b!), move(b!, c!), { kind: 'restart' }, move(c!, a!), remove(a!)]],
  [[...begin, move(a!, d!), move(d!, b!), remove(b!)]],
  // Two bookmarks left one twin: it shows when neither hides it.
  [[...begin, move(a!, b!), add(a!), move(a!, c!), move(c!, a!), remove(a!), remove(b!)]],
  [[...begin, move(a!, b!), add(a!), move(a!, c!), remove(c!), remove(b!)]],
  // Hidden by the user, too: below a bookmark that comes and goes, and beside one that has left it.
  [
    [
      ...begin,
      move(a!, b!),
      hide(d!),
      add(d!),
      remove(d!),
      show(d!),
      remove(b!),
      hide(a!),
      add(a!),
    ],
  ],
];

interface World {
  daemon: TestDaemon;
  readonly model: ReferenceStore;
  /** The list and its ETag as they were last. */
  seen?: { readonly etag: string; readonly text: string };
}

test('bookmarks, imports, tags and restarts in any order: list, clusters, suggest and counts agree with a plain model', async (t) => {
  await fc.assert(
    fc.asyncProperty(walks, async (walk) => {
      const world: World = { daemon: await startTestDaemon(t), model: new ReferenceStore() };
      for (const step of walk) {
        await take(t, world, step);
        await checkAnswers(t, world);
      }
      await world.daemon.close();
    }),
    { numRuns: examples.length + rounds(2), examples },
  );
});

/** @returns the number of the change. */
async function take(t: ExecutionContext, world: World, step: Step): Promise<string | null> {
  if (step.kind === 'restart') await restart(world, step.lost);
  else if (step.kind === 'import') await importFile(t, world, step.path, step.content);
  else {
    const [expected, method, path, body] = request(world.model, step);
    const { status, headers } = await world.daemon.call(method, path, body);
    t.is(status, expected, JSON.stringify(step));
    return headers.get('x-change-id');
  }
  return null;
}

function placeOf({ bookmarks }: ReferenceStore, chosen: Chosen): Place {
  if ('name' in chosen) return chosen;
  return bookmarks[chosen.bookmark % bookmarks.length] ?? { name: 'Nobody', lat: 0, lon: 0 };
}

/** The last place that a bookmark was moved away from and that has a twin. */
function before(model: ReferenceStore, place: Place): Place {
  const id = model.bookmark(place)?.id;
  return model.hidden.findLast(({ by }) => by === id)?.place ?? place;
}

/** Does a step in the model and gives the request that does it in the daemon. */
function request(
  model: ReferenceStore,
  step: Exclude<Step, { kind: 'restart' | 'import' }>,
): [status: number, method: string, path: string, body?: object] {
  if (step.kind === 'rename-tag') {
    const body = { tag: step.tag, newTag: step.to };
    return [model.renameTag(step.tag, step.to), 'PATCH', '/api/tags', body];
  }
  const place = placeOf(model, step.place);
  switch (step.kind) {
    case 'hide':
      return [model.hide(composed(place)), 'DELETE', `/api/waypoints?${query(place)}`];
    case 'show':
      return [model.show(composed(place)), 'DELETE', `/api/hidden?${query(place)}`];
    case 'add': {
      const body = { ...place, tags: step.tags };
      return [model.add(composed(place), step.tags), 'POST', '/api/bookmarks', body];
    }
    case 'change': {
      const to = step.to === 'back' ? before(model, place) : step.to;
      const { name: newName, lat: newLat, lon: newLon } = to;
      const { name: oldName, lat, lon } = place;
      const body = { oldName, lat, lon, newName, newLat, newLon };
      return [model.change(place, composed(to)), 'PATCH', '/api/bookmarks', body];
    }
    case 'remove':
      return [model.remove(place), 'DELETE', `/api/bookmarks?${query(place)}`];
    case 'tag': {
      const body = { ...place, tags: step.tags };
      return [model.addTags(place, step.tags), 'POST', '/api/tags', body];
    }
    case 'untag': {
      const path = `/api/tags?${query(place)}&tag=${encodeURIComponent(step.tag)}`;
      return [model.removeTag(place, step.tag), 'DELETE', path];
    }
  }
}

async function importFile(
  t: ExecutionContext,
  { daemon, model }: World,
  path: string,
  content: readonly Place[],
): Promise<void> {
  const dir = join(daemon.root, 'source');
  rmSync(dir, { recursive: true, force: true });
  const text = gpx(content.map(({ name, lat, lon }) => [name, lat, lon]));
  const verdict = model.import(path, content.map(composed));
  const { body } = await importTree(daemon, { [path]: text });
  const isRead = verdict !== 'duplicates';
  const expected = { count: isRead ? content.length : 0, files: Number(isRead), failed: 0 };
  t.like(body, { ...expected, [verdict]: 1, dedup_count: model.list().length, unsupported: 0 });
}

async function restart(world: World, lost: string | undefined): Promise<void> {
  const { daemon, model } = world;
  await daemon.close();
  if (lost !== undefined) rmSync(join(daemon.paths.data, lost), { force: true });
  if (lost?.startsWith('imports/')) model.files.delete(lost.slice('imports/'.length));
  world.daemon = await daemon.restart();
  // Answers once the library is in line with the files again.
  await world.daemon.get('/api/clusters');
}

async function checkAnswers(t: ExecutionContext, world: World): Promise<void> {
  const { daemon, model } = world;
  const list = model.list();
  const headers = { 'if-none-match': world.seen?.etag ?? '""' };
  const first = await daemon.get('/api/waypoints', headers);
  const answer = first.status === 304 ? await daemon.get('/api/waypoints') : first;
  t.true(first.status === 200 || answer.text === world.seen?.text, '304 for a changed list');
  t.deepEqual(answer.body.map(listed), list.map(listed));
  world.seen = { etag: answer.headers.get('etag') ?? '', text: answer.text };

  await Promise.all([
    checkClusters(t, daemon, '', list.length),
    checkClusters(t, daemon, '&bookmarksOnly=1', model.bookmarks.length),
    ...['Hut', 'Gipfel', 'caf\u00e9'].map((name) => checkNames(t, daemon, list, name)),
    checkTagged(t, daemon, list),
    checkVocabulary(t, daemon, model),
    ...list.slice(0, 2).map((place) => checkTags(t, daemon, place)),
  ]);
}

async function checkClusters(
  t: ExecutionContext,
  daemon: TestDaemon,
  parameters: string,
  expected: number,
): Promise<void> {
  const { body } = await daemon.get<{ count?: number }[]>(`/api/clusters?zoom=2${parameters}`);
  t.is(
    body.reduce((sum, { count = 1 }) => sum + count, 0),
    expected,
  );
}

/** At most six waypoints have one name, so that all of them are suggested. */
async function checkNames(
  t: ExecutionContext,
  daemon: TestDaemon,
  list: readonly ListedPlace[],
  name: string,
): Promise<void> {
  const { body } = await daemon.get(`/api/suggest?q=${encodeURIComponent(name)}`);
  const expected = list
    .filter((place) => place.name.toLowerCase().includes(name.toLowerCase()))
    .map((place) => `${place.bookmark ? 'bookmark' : 'waypoint'} ${keyOf(place)}`);
  const found = body.suggestions.map(
    (place: Place & { source: string }) => `${place.source} ${keyOf(place)}`,
  );
  t.deepEqual(found.toSorted(), expected.toSorted());
}

async function checkTagged(
  t: ExecutionContext,
  daemon: TestDaemon,
  list: readonly ListedPlace[],
): Promise<void> {
  const { body } = await daemon.get('/api/suggest?q=tag:home');
  const tagged = list.filter(({ tags: own = [] }) => own.some((tag) => /home|🏠/u.test(tag)));
  t.is(body.suggestions.length, Math.min(tagged.length, limits.suggestLocal));
}

async function checkVocabulary(
  t: ExecutionContext,
  daemon: TestDaemon,
  model: ReferenceStore,
): Promise<void> {
  const { body } = await daemon.get<{ tags: Tag[] }>('/api/tags?distinct=1&counts=1&emoji=1');
  const counts = new Map<string, number>();
  for (const { raw } of model.tags) {
    const normal = normalTag(raw);
    counts.set(normal, (counts.get(normal) ?? 0) + 1);
  }
  const found = body.tags.map(({ normal, count }) => `${normal} ${count}`);
  const expected = Array.from(counts, ([normal, count]) => `${normal} ${count}`);
  t.deepEqual(found.toSorted(), expected.toSorted());
}

async function checkTags(
  t: ExecutionContext,
  daemon: TestDaemon,
  place: ListedPlace,
): Promise<void> {
  const { body } = await daemon.get(`/api/tags?${query(place)}`);
  t.deepEqual(body.tags, place.tags ?? []);
}

function composed({ name, lat, lon }: Place): Place {
  return { name: name.normalize('NFC'), lat, lon };
}

function query({ name, lat, lon }: Place): string {
  return `name=${encodeURIComponent(name)}&lat=${lat}&lon=${lon}`;
}

/** Zeros have lost their sign in the requests already. */
function listed({ name, lat, lon, bookmark, tags: own }: ListedPlace): object {
  return { name, lat: lat + 0, lon: lon + 0, bookmark, tags: own };
}
