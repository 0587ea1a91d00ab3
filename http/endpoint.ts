import { WaypointError } from '../model/failure.ts';
import { knownFields, parseInput } from '../model/schema.ts';
import { contentOf, ignoreBody, readJson } from './body.ts';
import type { Exchange, RequestHead } from './exchange.ts';
import type { HttpLimits } from './http-limits.ts';
import { parseQuery } from './query.ts';
import type { Answer, RequestContent, Route, RouteRequest } from './route.ts';

/** Answers the requests of one route. */
export interface Endpoint {
  readonly route: Route;
  /** @param params those of the path, by name. */
  readonly answer: (exchange: Exchange, params: unknown) => Promise<Answer>;
}

interface EndpointOptions {
  readonly limits: HttpLimits;
  /** Media types of JSON bodies. */
  readonly bodyTypes: readonly string[];
}

interface InputOptions extends EndpointOptions {
  /** Names of the query parameters. */
  readonly known: readonly string[];
}

/** Makes what reads and checks the input of a route before it answers. */
export function endpointOf(route: Route, options: EndpointOptions): Endpoint {
  const known = route.query === undefined ? [] : knownFields(route.query);
  const input = { ...options, known };
  return {
    route,
    answer(exchange, params) {
      exchange.route = route.path;
      return runRoute(route, exchange, params, input);
    },
  };
}

/** Reads and checks all input in the order type, size, JSON, schema, and lets the route answer. */
async function runRoute(
  route: Route,
  exchange: Exchange,
  params: unknown,
  { known, bodyTypes, limits }: InputOptions,
): Promise<Answer> {
  const { body: bodySchema, query: querySchema } = route;
  let body: unknown;
  if (bodySchema !== undefined) body = await readJson(exchange, limits, bodyTypes);
  else if (route.readsContent !== true) await ignoreBody(exchange, limits);
  const query = parseQuery(exchange.search, known);
  return route.handle(
    new CheckedRequest(
      exchange,
      querySchema === undefined ? undefined : parseInput(querySchema, query),
      bodySchema === undefined ? undefined : parseInput(bodySchema, body),
      parseParams(route, params),
      limits,
    ),
  );
}

/** A class, because an object literal with a getter costs more per request than routing does. */
class CheckedRequest implements RouteRequest<unknown, unknown, unknown> {
  readonly query: unknown;
  readonly body: unknown;
  readonly params: unknown;
  readonly ifNoneMatch: string | undefined;
  readonly #exchange: Exchange;
  readonly #limits: HttpLimits;

  constructor(
    exchange: Exchange,
    query: unknown,
    body: unknown,
    params: unknown,
    limits: HttpLimits,
  ) {
    this.query = query;
    this.body = body;
    this.params = params;
    this.ifNoneMatch = exchange.req.headers['if-none-match'];
    this.#exchange = exchange;
    this.#limits = limits;
  }

  get head(): RequestHead {
    return this.#exchange;
  }

  get content(): RequestContent {
    return contentOf(this.#exchange, this.#limits);
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}

/** A path parameter names a thing; one that cannot be a name names nothing. */
function parseParams({ params: schema }: Route, params: unknown): unknown {
  if (schema === undefined) return undefined;
  try {
    return parseInput(schema, params);
  } catch (cause) {
    throw new WaypointError('not_found', { cause });
  }
}
