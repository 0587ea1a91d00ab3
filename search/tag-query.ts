/** What a tag query asks for. */
export interface TagQuery {
  /** `AND`: waypoints that have all of the tags; `OR`: any of them; `single`: one tag. */
  readonly kind: 'single' | 'AND' | 'OR';
  /** Raw tags, compared by their normal forms; empty while none is written yet, which matches nothing. */
  readonly tags: readonly string[];
}

/** Operators stand between blanks, or at an end while the query is still being typed. */
const operator = /(?:^|\s)(and|or)(?=\s|$)/giu;

/**
 * Reads `tag:a`, `tag:a AND b` or `tag:"a OR b"`, the prefix and operators in any case; gives undefined for normal
 * text. Quotes around the whole or around a tag are dropped. If both operators appear, all count as AND.
 */
export function parseTagQuery(query: string): TagQuery | undefined {
  const prefix = /^\s*tag:/iu.exec(query);
  if (prefix === null) return undefined;
  const expression = unquoted(query.slice(prefix[0].length));
  const operators = [...expression.matchAll(operator)];
  const tags = splitAt(expression, operators)
    .map(unquoted)
    .filter((tag) => tag !== '');
  // Nothing but operators: a tag may well be called "or".
  if (tags.length === 0 && expression !== '') return { kind: 'single', tags: [expression] };
  if (tags.length < 2) return { kind: 'single', tags };
  const hasAnd = operators.some(([, word]) => word?.toUpperCase() === 'AND');
  return { kind: hasAnd ? 'AND' : 'OR', tags };
}

function splitAt(text: string, separators: readonly RegExpExecArray[]): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const { index, 0: separator } of separators) {
    parts.push(text.slice(start, index));
    start = index + separator.length;
  }
  parts.push(text.slice(start));
  return parts;
}

/** Drops a pair of double quotes that has no other quote inside; with others, each tag has its own. */
function unquoted(text: string): string {
  const trimmed = text.trim();
  const inside = /^"([^"]*)"$/u.exec(trimmed)?.[1];
  return inside === undefined ? trimmed : inside.trim();
}
