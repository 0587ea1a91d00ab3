/** A parsed tag query. */
export interface TagQuery {
  /** `AND`: waypoints that have all of the tags; `OR`: any of them; `single`: one tag; `mixed`: both operators, which is refused. */
  readonly kind: 'single' | 'AND' | 'OR' | 'mixed';
  /** Raw tags, compared by their normal forms; empty while the first is being typed. */
  readonly tags: readonly string[];
}

/** Operators stand between blanks, or at an end while the query is still being typed, and in no quotes. */
const quotedOrOperator = /"[^"]*"|(?:^|(?<=\s))(and|or)(?=\s|$)/giu;
const prefix = /^\s*tag:/iu;

/**
 * Reads `tag:a`, `tag:a AND tag:b`, `tag:a AND b` or `tag:"a OR b"`, prefixes and operators in any case; gives undefined for
 * normal text. A tag may have blanks; quotes around the whole or around a tag are dropped.
 */
export function parseTagQuery(query: string): TagQuery | undefined {
  if (!prefix.test(query)) return undefined;
  const expression = unquoted(query.replace(prefix, ''));
  const operators = [...expression.matchAll(quotedOrOperator)].filter(([, word]) => word);
  const tags = splitAt(expression, operators)
    .map((part) => unquoted(part.replace(prefix, '')))
    .filter((tag) => tag !== '');
  // Nothing but operators: a tag may well be called "or".
  if (tags.length === 0 && operators.length > 0) return { kind: 'single', tags: [expression] };
  if (tags.length < 2) return { kind: 'single', tags };
  const [kind, ...others] = new Set(operators.map(([word]) => word.toUpperCase()));
  if (others.length > 0) return { kind: 'mixed', tags };
  return { kind: kind === 'AND' ? 'AND' : 'OR', tags };
}

/** Drops an operator that is being typed at the end: the `A` of `tag:red wine A`. */
export function withoutBegunOperator(query: string): string {
  return query.replace(/\s(?:an?|o)$/iu, '');
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
