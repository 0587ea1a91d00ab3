/** Every operation of an API, from its OpenAPI document, with values that its schemas take and values that they refuse. */

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
}

export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

export interface RouteOperation {
  readonly method: string;
  readonly path: string;
  readonly params: readonly Field[];
  readonly query: readonly Field[];
  /** Of a JSON body. */
  readonly body: readonly Field[];
}

interface Described {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

export function everyOperation({ paths }: ApiDocument): RouteOperation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]) => {
      const within = (place: string): Field[] =>
        parameters
          .filter((parameter) => parameter.in === place)
          .map(({ name, schema, required }) => ({ name, schema, isRequired: required }));
      const body = requestBody?.content['application/json']?.schema ?? {};
      return {
        method: method.toUpperCase(),
        path,
        params: within('path'),
        query: within('query'),
        body: Object.entries(body.properties ?? {}).map(([name, schema]) => ({
          name,
          schema,
          isRequired: body.required?.includes(name) ?? false,
        })),
      };
    }),
  );
}

/** Values by the names of fields. */
export type Values = Readonly<Record<string, unknown>>;

/** What a call of an operation sends. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: Values;
}

/** A call of an operation with its required fields, or all, and with some of them as given. */
export function callOf(
  operation: RouteOperation,
  given: { readonly query?: Values; readonly body?: Values } = {},
  { known = {} as Values, all = false } = {},
): Call {
  const { method, params, query, body } = operation;
  const values = (fields: readonly Field[], changes: Values = {}): Record<string, unknown> => {
    const sent = fields.filter(({ name, isRequired }) => (all || isRequired) && !(name in changes));
    const samples = sent.map(({ name, schema }) => [name, known[name] ?? sampleOf(schema)]);
    return { ...Object.fromEntries(samples), ...changes };
  };
  const path = operation.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
    String(values(params)[name]),
  );
  const texts = Object.entries(values(query, given.query)).map(
    ([name, value]): [string, string] => [name, String(value)],
  );
  const search = new URLSearchParams(texts).toString();
  const address = search === '' ? path : `${path}?${search}`;
  return { method, path: address, ...(body.length > 0 ? { body: values(body, given.body) } : {}) };
}

const formats: Readonly<Record<string, string>> = {
  date: '2024-01-01',
  'date-time': '2024-01-01T00:00:00Z',
};

const samples: Readonly<Record<string, (schema: JsonSchema) => unknown>> = {
  boolean: () => true,
  integer: ({ minimum }) => minimum ?? 1,
  number: ({ minimum }) => minimum ?? 1,
  array: ({ items }) => [sampleOf(items ?? {})],
  object: ({ properties = {}, required = [] }) =>
    Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})])),
  string: ({ format = '', pattern }) =>
    formats[format] ?? (pattern === undefined ? 'sample' : 'a'.repeat(32)),
};

/** A value that a schema takes. */
function sampleOf(schema: JsonSchema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return sampleOf(schema.anyOf[0] ?? {});
  const [type = 'string'] = [schema.type ?? []].flat();
  return samples[type]?.(schema);
}

/** Values that a schema refuses by what it says of itself, as they stand in JSON. */
export function refusedBy(schema: JsonSchema): unknown[] {
  const parts = schema.anyOf ?? [schema];
  const types = parts.flatMap(({ type = [] }) => type);
  const isNumber = types.includes('number') || types.includes('integer');
  return [isNumber ? 'x' : 5, ...refusedTexts(schema)];
}

/** Longer ones would not fit into a query. */
const maxTextLength = 9_000;

/** The same, of what can be said in text. */
export function refusedTexts(schema: JsonSchema): unknown[] {
  const { type = '', minimum, maximum, minLength = 0, maxLength = Infinity } = schema;
  const hasForm = schema.enum ?? schema.pattern ?? schema.format;
  const refused: readonly [isRefused: boolean, value: () => unknown][] = [
    [['boolean', 'integer', 'number'].includes(String(type)), () => 'x'],
    [hasForm !== undefined, () => '?'],
    [minimum !== undefined, () => (minimum ?? 0) - 1],
    [maximum !== undefined, () => (maximum ?? 0) + 1],
    [type === 'string' && minLength > 0, () => ''],
    [type === 'string' && maxLength < maxTextLength, () => 'x'.repeat(maxLength + 1)],
  ];
  return refused.flatMap(([isRefused, value]) => (isRefused ? [value()] : []));
}
