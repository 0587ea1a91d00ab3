import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Operation {
  readonly responses: Record<string, unknown>;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
}

type Validate = (method: string, path: string, status: number, body: unknown) => void;

/** By the document's text: each test daemon serves a copy of the same one, and compiling its schemas takes a while. */
const validators = new Map<string, Validate>();
const texts = new WeakMap<object, string>();

/**
 * Checks one answer against an OpenAPI document and throws an error that says what differs.
 * @param document As served at `/api/openapi.json`.
 * @param path As requested (a query is ignored), or the template.
 * @param body The parsed body; undefined for an empty one.
 */
export function validateAnswer(
  document: unknown,
  method: string,
  path: string,
  status: number,
  body: unknown,
): void {
  const whole = document as Document;
  let text = texts.get(whole);
  if (text === undefined) texts.set(whole, (text = JSON.stringify(whole)));
  let validate = validators.get(text);
  if (validate === undefined) validators.set(text, (validate = validatorOf(whole)));
  validate(method, path, status, body);
}

function validatorOf(document: Document): Validate {
  // Most of its code runs a few times: making it shorter takes longer than that.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  const compiled = new Map<string, ValidateFunction>();
  return (method, path, status, body) => {
    const pointer = answerPointer(document, method, path, status);
    const what = `${method} ${path} ${status}`;
    if (pointer === undefined) {
      if (body !== undefined) throw new Error(`${what}: a body where the document says none`);
      return;
    }
    if (body === undefined) throw new Error(`${what}: no body where the document says one`);
    let validate = compiled.get(pointer);
    if (validate === undefined) compiled.set(pointer, (validate = ajv.compile({ $ref: pointer })));
    if (!validate(body)) throw new Error(`${what}: ${ajv.errorsText(validate.errors)}`);
  };
}

/** A reference to the schema of an answer's body; undefined when the document says there is none. */
function answerPointer(document: Document, method: string, path: string, status: number) {
  const failure = 'api#/components/responses/Failure/content/application~1json/schema';
  const template = templateOf(document, path.split('?')[0] ?? '');
  const verb = method.toLowerCase();
  const operation = template === undefined ? undefined : document.paths[template]?.[verb];
  const answer = operation?.responses[String(status)];
  if (template === undefined || answer === undefined || Object.hasOwn(answer as object, '$ref')) {
    if (status < 400) throw new Error(`${method} ${path}: ${status} is not documented`);
    return failure;
  }
  if (!Object.hasOwn(answer as object, 'content')) return undefined;
  const steps = ['paths', template, verb, 'responses', String(status)];
  const pointer = [...steps, 'content', 'application/json', 'schema'].map(escapeStep).join('/');
  return `api#/${pointer}`;
}

function templateOf({ paths }: Document, path: string): string | undefined {
  if (Object.hasOwn(paths, path)) return path;
  return Object.keys(paths).find((template) =>
    new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
}

function escapeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
