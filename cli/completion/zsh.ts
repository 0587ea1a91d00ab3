import {
  placedCommands,
  type Completed,
  type CompletedCommand,
  type CompletedOption,
  type PlacedCommand,
} from './command-tree.ts';

/** The completion script for zsh: a function for each command, each of which knows its options and its commands. */
export function zshCompletion(program: CompletedCommand): string {
  const name = program.names[0];
  const functions = placedCommands(program).map((placed) => functionOf(placed, name));
  const everywhere = program.options.flatMap(optionSpecs);
  return `#compdef ${name}
# ${name} completion for zsh. To use it: ${name} completion zsh > "\${fpath[1]}/_${name}"
# or add to ~/.zshrc, after compinit: source <(${name} completion zsh)
typeset -ga _${name}_everywhere
_${name}_everywhere=(
  ${everywhere.join('\n  ')}
)
${functions.join('\n')}
if [[ "\${funcstack[1]}" == "_${name}" ]]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`;
}

function functionOf({ path, command }: PlacedCommand, name: string): string {
  const hasCommands = command.commands.length > 0;
  const own = path === '' ? [] : command.options.flatMap(optionSpecs);
  const places = hasCommands ? ["'1: :->command'", "'*:: :->rest'"] : argumentSpecs(command);
  const specs = [...own, `"\${_${name}_everywhere[@]}"`, ...places];
  return `${functionName(path, name)}() {
  local line state state_descr context
  typeset -A opt_args
  _arguments -C${specs.map((spec) => ` \\\n    ${spec}`).join('')}
${hasCommands ? `${statesOf(command, path, name)}\n` : ''}}`;
}

function optionSpecs({ names, description, value }: CompletedOption): string[] {
  return names.map((name) => quote(`*${name}${optionTail(name, description, value)}`));
}

function statesOf(command: CompletedCommand, path: string, name: string): string {
  const described = command.commands.flatMap(({ names, description }) =>
    names.map((word) => quote(`${word}:${description}`)),
  );
  const ways = command.commands.map(
    ({ names }) => `        ${names.join('|')}) ${functionName(`${path} ${names[0]}`, name)} ;;`,
  );
  return `  case "$state" in
    command)
      local -a commands
      commands=(
        ${described.join('\n        ')}
      )
      _describe command commands ;;
    rest)
      case "$line[1]" in
${ways.join('\n')}
      esac ;;
  esac`;
}

function argumentSpecs({ arguments: all, isVariadic }: CompletedCommand): string[] {
  return all.map((value, at) => {
    const place = isVariadic && at === all.length - 1 ? '*' : String(at + 1);
    return quote(`${place}:${message(value)}:${actionOf(value)}`);
  });
}

function optionTail(name: string, description: string, value: Completed | undefined): string {
  const text = `[${description.replace(/[[\]\\:]/gu, '\\$&')}]`;
  if (value === undefined) return text;
  // After a long option "=" or a blank, after a short one nothing or a blank.
  const join = name.startsWith('--') ? '=' : '+';
  return `${join}${text}:${message(value)}:${actionOf(value)}`;
}

function message(value: Completed): string {
  return typeof value === 'string' ? value : 'value';
}

function actionOf(value: Completed): string {
  if (typeof value !== 'string') return `(${value.join(' ')})`;
  if (value === 'text') return ' ';
  return value === 'directory' ? '_files -/' : '_files';
}

function functionName(path: string, name: string): string {
  return `_${name}${path.replaceAll(' ', '__')}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
