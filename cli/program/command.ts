import { printJson, printLines, type Lines } from '../terminal/output.ts';
import type { CommandContext, GivenFlags } from './context.ts';

/** An option that has more than a help text. */
export interface OptionSpec {
  readonly help: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly isRequired?: true;
  /** It may be given several times; its value is a list. */
  readonly isRepeated?: true;
}

/** Options by their flags, such as `-t, --tag <tag>`, in the order of the help. */
export type OptionSpecs = Readonly<Record<string, string | OptionSpec>>;

/**
 * A command as its author writes it: help, completion, parsing and docs/cli.md derive from this object. The types of
 * arguments and options follow from how they are written, as in `arguments: '<name> [tag...]'`.
 */
export interface CommandSpec<Words extends string, Options extends OptionSpecs, Result> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Heading of this command and those after it, in the help of the command that has them. */
  readonly group?: string;
  readonly summary?: string;
  /** The summary as a sentence, when left out. */
  readonly description?: string;
  readonly usage?: string;
  readonly arguments?: Words;
  readonly choices?: { readonly help: string; readonly words: readonly string[] };
  readonly options?: Options;
  /** Command lines without the name of the program. */
  readonly examples?: readonly string[];
  /** Stands at the end of the help. */
  readonly notes?: string | (() => string);
  readonly commands?: readonly Command[];
  /** @returns the lines to print where there is no `show`; undefined when there is nothing (any more). */
  readonly run?: (
    call: Call<ArgumentValues<Words>, OptionValues<Options>>,
  ) => Promise<Result | undefined> | Result | undefined;
  /** The value that `--json` prints, if not the result itself. */
  readonly json?: (result: Result) => unknown;
  /** The result for a person; with `--json`, which the command then has, it is printed as JSON instead. */
  readonly show?: (
    result: Result,
    call: Call<ArgumentValues<Words>, OptionValues<Options>>,
  ) => Lines | Promise<void> | void;
  /** Whether the exit code is 1 although there is a result. */
  readonly isFailure?: (result: Result) => boolean;
}

/** A command as the program knows it. */
export interface Command extends Omit<
  CommandSpec<string, OptionSpecs, unknown>,
  'run' | 'json' | 'show' | 'isFailure'
> {
  readonly run?: (call: Call) => Promise<void>;
  /** It has a result, which `--json` prints. */
  readonly hasResult?: boolean;
}

export interface Call<Arguments = readonly unknown[], Options = Readonly<Record<string, unknown>>> {
  readonly words: Arguments;
  readonly options: Options;
  readonly isJson: boolean;
  readonly given: GivenFlags;
  /**
   * The resolved settings and paths, read when they are first wanted.
   * @throws ExitError for a setting that cannot be used.
   */
  readonly context: CommandContext;
}

/** A heading of the program's help, and the commands below it, by name: each is loaded when it is wanted. */
export interface CommandGroup {
  readonly heading: string;
  readonly commands: Readonly<Record<string, () => Promise<{ readonly command: Command }>>>;
}

export function defineCommand<
  const Words extends string = '',
  const Options extends OptionSpecs = Readonly<Record<never, never>>,
  Result = never,
>({ run, json, show, isFailure, ...spec }: CommandSpec<Words, Options, Result>): Command {
  if (run === undefined) return spec;
  return {
    ...spec,
    hasResult: show !== undefined,
    async run(given) {
      // Sound: the parser makes the values from the same texts as the types.
      const call = given as unknown as Call<ArgumentValues<Words>, OptionValues<Options>>;
      const result = await run(call);
      if (result === undefined) return;
      if (isFailure?.(result) === true) process.exitCode = 1;
      if (show === undefined) return printLines(result as Lines);
      await (call.isJson
        ? printJson(json?.(result) ?? result)
        : printLines(await show(result, call)));
    },
  };
}

/** `<a> [b] [c...]` as the values that a command gets. */
type ArgumentValues<Words extends string> = Words extends `${infer First} ${infer Rest}`
  ? [...ArgumentValues<First>, ...ArgumentValues<Rest>]
  : Words extends `${string}...${string}`
    ? [string[]]
    : Words extends `<${string}`
      ? [string]
      : Words extends `[${string}`
        ? [string | undefined]
        : [];

/** A switch is true or false; a value is undefined when it is not given and has no default. */
export type OptionValues<Options> = {
  readonly [Flags in keyof Options as NameOf<Flags>]: Flags extends `${string}<${string}`
    ? ValueOf<Options[Flags]>
    : boolean;
};

type ValueOf<Spec> = Spec extends { readonly isRepeated: true }
  ? string[] | undefined
  : Spec extends { readonly isRequired: true } | { readonly default: string }
    ? WordOf<Spec>
    : WordOf<Spec> | undefined;

type WordOf<Spec> = Spec extends { readonly choices: readonly (infer Word)[] } ? Word : string;

/** `-n, --dry-run` is `dryRun`, `--no-network` is `network`. */
type NameOf<Flags> = Flags extends `${string}--no-${infer Name}`
  ? CamelCase<Name>
  : Flags extends `${string}--${infer Name} ${string}`
    ? CamelCase<Name>
    : Flags extends `${string}--${infer Name}`
      ? CamelCase<Name>
      : never;

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;
