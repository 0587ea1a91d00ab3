/** What may stand at a place: any text, a path, or one of these words. */
export type Completed = 'text' | 'file' | 'directory' | readonly string[];

export interface CompletedOption {
  /** `-r`, `--recursive`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined for a switch. */
  readonly value: Completed | undefined;
  /** Whether the next word is its value whatever it looks like; a switch may be followed by `true` or by anything. */
  readonly needsValue: boolean;
}

/** A command as shells complete it; the program itself is the outermost one. */
export interface CompletedCommand {
  /** Its name, then its aliases. */
  readonly names: readonly [string, ...string[]];
  readonly description: string;
  readonly options: readonly CompletedOption[];
  readonly arguments: readonly Completed[];
  /** The last argument may be repeated. */
  readonly isVariadic: boolean;
  readonly commands: readonly CompletedCommand[];
}

/** A command and the words that lead to it: none for the program, else each with a blank before it. */
export interface PlacedCommand {
  readonly path: string;
  readonly command: CompletedCommand;
}

/** Every command of a tree with its path, the program first. */
export function placedCommands(command: CompletedCommand, path = ''): PlacedCommand[] {
  return [
    { path, command },
    ...command.commands.flatMap((sub) => placedCommands(sub, `${path} ${sub.names[0]}`)),
  ];
}

/** An option where a command knows it: the path is `*` for those of the program, which every command knows. */
export interface PlacedOption {
  readonly path: string;
  readonly option: CompletedOption;
}

/** The options of a tree that take a value: what follows one of them is no command and no argument. */
export function valueOptions(program: CompletedCommand): PlacedOption[] {
  return placedCommands(program).flatMap(({ path, command }) =>
    command.options
      .filter(({ value }) => value !== undefined)
      .map((option) => ({ path: path === '' ? '*' : path, option })),
  );
}
