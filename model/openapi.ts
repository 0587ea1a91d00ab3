import * as z from 'zod';
import { failureTable } from './failure.ts';
import { failureSchema } from './process.ts';
import type { Schema } from './schema.ts';

/** The parts of a route that the description uses. */
export interface DescribedRoute {
  readonly method: string;
  /** `/api/timelines/{id}` style. */
  readonly path: string;
  readonly summary: string;
  readonly query?: Schema | undefined;
  readonly body?: Schema | undefined;
  readonly params?: Schema | undefined;
  /** Schema of each answer's body by status; null for an empty body. */
  readonly answers: Readonly<Record<number, Schema | null>>;
}

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  /** Paths below it need the bearer token. */
  readonly privatePrefix: string;
}

type Json = Record<string, unknown>;

const json = 'application/json';

/** The answer of `GET /api/openapi.json`; the whole of OpenAPI is not ours to repeat. */
export const openApiSchema = z.looseObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.looseObject({})),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});
export type OpenApiDocument = z.output<typeof openApiSchema>;

/**
 * Describes routes as an OpenAPI 3.1 document, from the very schemas that check requests. Schemas with a `.meta({id})`
 * become components; a `.meta({openapi})` is said instead of the schema's own input type, and an answer that may be of
 * other types than JSON has `.meta({mediaTypes})`.
 */
export function describeApi(routes: readonly DescribedRoute[], info: ApiInfo): OpenApiDocument {
  const components = new Components();
  const failure = components.add(failureSchema, 'output');
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = describeRoute(route, info, components);
  }
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas: components.schemas,
      responses: { Failure: { description: failureSentences(), ...jsonContent(failure) } },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function describeRoute(route: DescribedRoute, info: ApiInfo, components: Components): Json {
  const parameters = [
    ...describeParameters(route.params ?? pathSchema(route.path), 'path', components),
    ...describeParameters(route.query, 'query', components),
  ];
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(!route.path.startsWith(info.privatePrefix) && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: { required: true, ...jsonContent(components.add(route.body, 'input')) },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, schema]) => [
          status,
          describeAnswer(Number(status), schema, components),
        ]),
      ),
      ...refusalsOf(route, info),
      default: failureResponse,
    },
  };
}

const failureResponse = { $ref: '#/components/responses/Failure' };

/** The refusals that a caller can cause. */
function refusalsOf({ path, query, body, params }: DescribedRoute, info: ApiInfo): Json {
  const hasInput = [query, body, params].some((schema) => schema !== undefined);
  const statuses = [
    ...(hasInput || path.includes('{') ? [400] : []),
    ...(path.startsWith(info.privatePrefix) ? [401, 403] : []),
    421,
  ];
  return Object.fromEntries(statuses.map((status) => [status, failureResponse]));
}

const descriptions: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted; it goes on.',
  204: 'Nothing to tell.',
  304: 'Not changed since the ETag that was sent.',
};

function describeAnswer(status: number, schema: Schema | null, components: Components): Json {
  const description = descriptions[status] ?? 'Answered.';
  if (schema === null) return { description };
  const content = components.add(schema, 'output');
  const types = schema.meta()?.mediaTypes ?? [json];
  return {
    description,
    content: Object.fromEntries(types.map((type) => [type, { schema: content }])),
  };
}

function describeParameters(
  schema: Schema | undefined,
  place: 'path' | 'query',
  components: Components,
): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = parametersSchema.parse(
    components.add(schema, 'input'),
  );
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

const parametersSchema = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});

/** Path parameters that a route checks itself are texts. */
function pathSchema(path: string): Schema {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()]);
  return z.object(Object.fromEntries(names));
}

function jsonContent(schema: Json): Json {
  return { content: { [json]: { schema } } };
}

/** `DELETE /api/timelines/{id}` → `deleteTimelinesById`. */
function operationId({ method, path }: DescribedRoute): string {
  const words = path.split(/[/_.]/).filter((word) => word !== '' && word !== 'api');
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const names = words.map((word) => {
    const [, parameter] = /^\{(\w+)\}$/.exec(word) ?? [];
    return parameter === undefined ? capital(word) : `By${capital(parameter)}`;
  });
  return method.toLowerCase() + names.join('');
}

function failureSentences(): string {
  const lines = Object.values(failureTable).map(
    ({ status, code, message }) => `- ${status} \`${code}\`: ${message}`,
  );
  return ['A refusal or an error, one of these fixed sentences:', ...lines].join('\n');
}

/** Collects the schemas that have a name of their own. */
class Components {
  readonly schemas: Record<string, Json> = {};

  /**
   * Turns a schema into JSON Schema (2020-12) that refers to named ones among the components.
   * @throws Error where one name means two shapes: a mistake in model/.
   */
  add(schema: Schema, io: 'input' | 'output'): Json {
    const json = z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      override: ({ jsonSchema }) => applyMeta(jsonSchema),
    });
    const { $schema: _dialect, $defs = {}, ...rest } = pointToComponents(json);
    for (const [id, named] of Object.entries($defs)) {
      const known = (this.schemas[id] ??= named);
      if (JSON.stringify(known) !== JSON.stringify(named)) {
        throw new Error(`The schema name ${id} has two meanings.`);
      }
    }
    return rest;
  }
}

const generatedSchema = z.looseObject({
  $defs: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
});

/** Zod keeps named schemas beside each schema; OpenAPI keeps them once for all. */
function pointToComponents(json: unknown): z.output<typeof generatedSchema> {
  const text = JSON.stringify(json).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/');
  return generatedSchema.parse(JSON.parse(text));
}

function applyMeta(jsonSchema: Json): void {
  const { openapi, format } = jsonSchema;
  delete jsonSchema['mediaTypes'];
  // The pattern only repeats the format, at length.
  if (format === 'date-time') delete jsonSchema['pattern'];
  if (openapi === undefined) return;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  Object.assign(jsonSchema, openapi);
}
