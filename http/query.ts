import { WaypointError } from '../model/failure.ts';

/**
 * Reads the known parameters of a query string: `+` is a blank, unknown parameters are not looked at.
 * @throws WaypointError repeated_parameter for a known name given twice; invalid for a malformed percent-encoding.
 */
export function parseQuery(search: string, known: readonly string[]): Record<string, string> {
  const query: Record<string, string> = {};
  if (search === '' || known.length === 0) return query;
  for (const part of search.split('&')) {
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals), undefined);
    if (!known.includes(name)) continue;
    if (Object.hasOwn(query, name)) throw new WaypointError('repeated_parameter', { field: name });
    query[name] = equals === -1 ? '' : decode(part.slice(equals + 1), name);
  }
  return query;
}

function decode(text: string, field: string | undefined): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new WaypointError('invalid', { field, cause });
  }
}
