/** The journal of changes: what every change is told by, and how it is taken back. */
import test from 'ava';
import { startTestDaemon, type TestAnswer } from './helpers/daemon.ts';

const camp = { name: 'Camp', lat: 42.1, lon: -8.3 };
const query = ({ name, lat, lon } = camp): string =>
  `name=${encodeURIComponent(name)}&lat=${lat}&lon=${lon}`;
const idOf = ({ headers }: TestAnswer): number => Number(headers.get('x-change-id'));

test('every answer that changed something has the number of the change, no other one', async (t) => {
  const daemon = await startTestDaemon(t);
  const place = { oldName: 'Camp', lat: 42.1, lon: -8.3 };
  const steps: [method: string, path: string, body: unknown, isChange: boolean][] = [
    ['POST', '/api/bookmarks', { ...camp, tags: ['a'] }, true],
    ['POST', '/api/bookmarks', camp, false],
    ['POST', '/api/tags', { ...camp, tags: ['a'] }, false],
    ['POST', '/api/tags', { ...camp, tags: ['b'] }, true],
    ['DELETE', `/api/tags?${query()}&tag=c`, undefined, false],
    ['DELETE', `/api/tags?${query()}&tag=b`, undefined, true],
    ['PATCH', '/api/bookmarks', { ...place, newName: 'Camp' }, false],
    ['PATCH', '/api/bookmarks', { ...place, desc: 'by the river' }, true],
    ['PATCH', '/api/bookmarks', { ...place, newName: 'Tent' }, true],
    ['DELETE', `/api/bookmarks?${query({ ...camp, name: 'Tent' })}`, undefined, true],
  ];
  let last = 0;
  for (const [method, path, body, isChange] of steps) {
    const answer = await daemon.call(method, path, body);
    t.is(answer.headers.has('x-change-id'), isChange, `${method} ${JSON.stringify(body)}`);
    if (!isChange) continue;
    t.is(idOf(answer), last + 1);
    last += 1;
  }
});
