import {
  placedCommands,
  valueOptions,
  type Completed,
  type CompletedCommand,
  type CompletedOption,
  type PlacedCommand,
  type PlacedOption,
} from './command-tree.ts';

/** The completion script for fish. */
export function fishCompletion(program: CompletedCommand): string {
  const placed = placedCommands(program);
  const name = program.names[0];
  const needing = valueOptions(program).filter(({ option }) => option.needsValue);
  const lines = placed.flatMap(({ path, command }) => [
    ...command.commands.flatMap((sub) => commandLines(name, path, sub)),
    ...argumentLines(name, { path, command }),
    ...command.options.map((option) => optionLine(name, path, option)),
  ]);
  return `# ${name} completion for fish. To use it:
#   ${name} completion fish > ~/.config/fish/completions/${name}.fish
# Prints the path of the command that stands on the line, and how many arguments follow it.
function __${name}_place
    set -l path
    set -l count 0
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        switch "$path:$word"
            case ${needing.flatMap(patternsOf).join(' ')}
                set -e words[1]
                continue
            case '*:-*'
                continue
        end
        switch "$path $word"
${placed.flatMap(stepsTo).join('\n')}
            case '*'
                set count (math $count + 1)
        end
    end
    printf '%s\\n%s\\n' "$path" $count
end
# Whether the line stands at a command, and, when given, at its argument of this number (or a later one: NUMBER+).
function __${name}_at
    set -l place (__${name}_place)
    test "$place[1]" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    if string match -q '*+' -- $argv[2]
        test $place[2] -ge (string trim -rc + -- $argv[2])
    else
        test $place[2] = $argv[2]
    end
end
complete -c ${name} -f
${lines.join('\n')}
`;
}

function patternsOf({ path, option }: PlacedOption): string[] {
  return option.names.map((name) => quote(`${path}:${name}`));
}

function stepsTo({ path, command }: PlacedCommand): string[] {
  if (path === '') return [];
  const parent = path.slice(0, path.lastIndexOf(' '));
  const ways = command.names.map((name) => quote(`${parent} ${name}`));
  return [
    `            case ${ways.join(' ')}`,
    `                set path ${quote(path)}`,
    `                set count 0`,
  ];
}

function commandLines(
  name: string,
  path: string,
  { names, description }: CompletedCommand,
): string[] {
  return names.map((word) =>
    line(name, at(name, path, '0'), `-a ${word} -d ${quote(description)}`),
  );
}

function argumentLines(name: string, { path, command }: PlacedCommand): string[] {
  const { arguments: all, isVariadic } = command;
  return all.flatMap((value, index) => {
    const number = isVariadic && index === all.length - 1 ? `${index}+` : String(index);
    return value === 'text' ? [] : [line(name, at(name, path, number), offered(value))];
  });
}

function optionLine(
  name: string,
  path: string,
  { names, description, value }: CompletedOption,
): string {
  const flags = names.map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  const text = `${flags.join(' ')} -d ${quote(description)}${valueText(value)}`;
  // Options of the program are those of every command.
  return path === '' ? `complete -c ${name} ${text}` : line(name, at(name, path), text);
}

/** `-x`: a value, and no file. */
function valueText(value: Completed | undefined): string {
  if (value === undefined) return '';
  if (value === 'text') return ' -x';
  return value === 'file' ? ' -r -F' : ` -x ${offered(value)}`;
}

function offered(value: Completed): string {
  if (typeof value !== 'string') return `-a ${quote(value.join(' '))}`;
  return value === 'directory' ? "-a '(__fish_complete_directories)'" : '-F';
}

function at(name: string, path: string, number?: string): string {
  return `__${name}_at ${[path, number]
    .filter((word) => word !== undefined)
    .map((word) => `"${word}"`)
    .join(' ')}`;
}

function line(name: string, condition: string, text: string): string {
  return `complete -c ${name} -n ${quote(condition)} ${text}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
