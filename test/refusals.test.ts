/** Every refused field of every request is named, whatever route it belongs to (contract B2). */
import test from 'ava';
import { startTestDaemon } from './helpers/daemon.ts';
import { callOf, everyOperation, refusedBy, refusedTexts } from './helpers/every-route.ts';
import { answerWhen } from './helpers/until.ts';

test('what the OpenAPI document says is refused is refused, and the field is named', async (t) => {
  const daemon = await startTestDaemon(t);
  const operations = everyOperation((await daemon.get('/api/openapi.json')).body);
  const wrong: string[] = [];
  let tried = 0;
  for (const operation of operations) {
    const calls = [
      ...operation.query.flatMap(({ name, schema }) =>
        refusedTexts(schema).map((value) => ({ name, given: { query: { [name]: value } } })),
      ),
      ...operation.body.flatMap(({ name, schema }) =>
        refusedBy(schema).map((value) => ({ name, given: { body: { [name]: value } } })),
      ),
      ...operation.body
        .filter(({ isRequired }) => isRequired)
        .map(({ name }) => ({ name, given: { body: { [name]: undefined } } })),
    ];
    for (const { name, given } of calls) {
      const { method, path, body } = callOf(operation, given);
      const answer = await daemon.call(method, path, body);
      tried += 1;
      const { message, field } = answer.body;
      const isNamed = field === name && message === `The field \`${name}\` is not valid.`;
      if (answer.status === 400 && isNamed) continue;
      wrong.push(
        `${method} ${path.slice(0, 60)} ${JSON.stringify(given).slice(0, 60)}: ${answer.text}`,
      );
    }
  }
  t.deepEqual(wrong, []);
  t.true(tried > 150, `${tried} refusals`);
});

test('a query parameter given twice is named', async (t) => {
  const daemon = await startTestDaemon(t);
  const operations = everyOperation((await daemon.get('/api/openapi.json')).body);
  for (const operation of operations) {
    for (const { name } of operation.query) {
      const { method, path, body } = callOf(operation, { query: { [name]: 'x' } });
      const { status, body: refusal } = await daemon.call(method, `${path}&${name}=x`, body);
      t.like({ status, ...refusal }, { status: 400, code: 'invalid', field: name }, path);
    }
  }
});

test('a period that ends before it begins is refused wherever there is one', async (t) => {
  const daemon = await startTestDaemon(t);
  const operations = everyOperation((await daemon.get('/api/openapi.json')).body);
  const periods = operations.filter(({ query }) => query.some(({ name }) => name === 'to'));
  t.true(periods.length >= 5);
  for (const operation of periods) {
    const ask = async (from: string, to: string) => {
      const { method, path, body } = callOf(operation, { query: { from, to } });
      return daemon.call(method, path, body);
    };
    const { status, body } = await ask('2024-05-02', '2024-05-01');
    t.like({ status, ...body }, { status: 400, code: 'invalid', field: 'to' }, operation.path);
    // Places are made first.
    const taken = await answerWhen(
      () => ask('2024-05-01', '2024-05-01'),
      ({ status: made }) => made !== 429,
    );
    t.true(taken.status < 300, operation.path);
  }
});
