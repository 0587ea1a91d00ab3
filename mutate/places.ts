/** Where a source can be made wrong: each place with the text that takes its place. */
import { parseSync } from 'oxc-parser';

export interface Mutant {
  readonly file: string;
  /** Offsets into the source, which stripping its types keeps. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly kind: string;
  readonly isStatement: boolean;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

type Replaced = readonly [kind: string, replacement: string, at?: Pick<Node, 'start' | 'end'>];

const otherOperators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '&': '|',
  '>>': '<<',
};

/** Nodes of types that hold code all the same. */
const transparent = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** All mutants of one file, in the order of the text. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const mutants: Mutant[] = [];
  const visit = (node: Node): void => {
    if (node.type.startsWith('TS') && !transparent.has(node.type)) return;
    if (node.type === 'ImportDeclaration') return;
    for (const [kind, replacement, { start, end } = node] of replacements(node, text))
      mutants.push({
        file,
        start,
        end,
        replacement,
        kind,
        isStatement: isStatement(node, start, end),
      });
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child);
  };
  visit(parseSync(file, text).program as unknown as Node);
  return mutants.toSorted((a, b) => a.start - b.start);
}

function isStatement({ type, ...node }: Node, start: number, end: number): boolean {
  return type.endsWith('Statement') && node.start === start && node.end === end;
}

function replacements(node: Node, text: string): Replaced[] {
  return rules[node.type]?.(node, ({ start, end }) => text.slice(start, end)) ?? [];
}

type Rule = (node: Node, source: (part: Node) => string) => Replaced[];

const operator: Rule = ({ left, right, operator: own }, source) => {
  const other = otherOperators[String(own)];
  if (!isNode(left) || !isNode(right) || other === undefined) return [];
  return [['operator', `${source(left)} ${other} ${source(right)}`]];
};

const condition: Rule = ({ test }) =>
  isNode(test) ? ['true', 'false'].map((fixed): Replaced => ['condition', fixed, test]) : [];

const rules: Readonly<Record<string, Rule>> = {
  BinaryExpression: operator,
  LogicalExpression: operator,
  IfStatement: condition,
  ConditionalExpression: condition,
  UnaryExpression: ({ operator: own, argument }, source) =>
    own === '!' && isNode(argument) ? [['negation', source(argument)]] : [],
  ReturnStatement: ({ argument }, source) =>
    isNode(argument) && source(argument) !== 'undefined' ? [['return', 'return;']] : [],
  ExpressionStatement: ({ expression }) =>
    isNode(expression) && isCall(expression) ? [['call removed', ';']] : [],
  AwaitExpression: ({ argument }, source) =>
    isNode(argument) ? [['await removed', source(argument)]] : [],
  Literal: ({ value }) => {
    if (typeof value === 'boolean') return [['literal', String(!value)]];
    return typeof value === 'number' ? [['boundary', String(value + 1)]] : [];
  },
};

/** A constructor without `super()` is no mutant worth a run. */
function isCall({ type, callee, argument }: Node): boolean {
  if (type === 'AwaitExpression') return isNode(argument) && isCall(argument);
  return type === 'CallExpression' && isNode(callee) && callee.type !== 'Super';
}
