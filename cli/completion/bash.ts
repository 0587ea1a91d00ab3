import {
  placedCommands,
  valueOptions,
  type Completed,
  type CompletedCommand,
  type PlacedCommand,
  type PlacedOption,
} from './command-tree.ts';

/** The completion script for bash, from 3.2 (that of macOS) on. */
export function bashCompletion(program: CompletedCommand): string {
  const name = program.names[0];
  const everywhere = program.options.flatMap(({ names }) => names).join(' ');
  return `# ${name} completion for bash. To use it, add to ~/.bashrc: source <(${name} completion bash)
_${name}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local path="" count=0 kind="" choices="" options="" commands="" i word
  local everywhere="${everywhere}"
  # bash makes three words of --option=value.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
${findPlace(program)}
${chooseWords(program)}
  COMPREPLY=()
  # Without a word from us bash offers files.
  if [[ $kind == file ]]; then return; fi
  compopt +o default 2>/dev/null
  if [[ $kind == directory ]]; then
    compopt -o filenames 2>/dev/null
    local IFS=$'\\n'
    COMPREPLY=($(compgen -d -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$choices" -- "$cur"))
  fi
}
complete -o default -F _${name} ${name}
`;
}

/** Sets `path` to the command that the line stands at, and `count` to its arguments before the cursor. */
function findPlace(program: CompletedCommand): string {
  const needing = valueOptions(program).filter(({ option }) => option.needsValue);
  return `  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$path:$word" in
      ${needing.flatMap(patternsOf).join('|')})
        if [[ \${COMP_WORDS[i+1]} == "=" ]]; then i=$((i + 2)); else i=$((i + 1)); fi
        continue ;;
      *:-*) continue ;;
    esac
    case "$path $word" in
${placedCommands(program).flatMap(stepsTo).join('\n')}
      *) count=$((count + 1)) ;;
    esac
  done`;
}

/** Sets `choices` to the words that may stand at the cursor, or `kind` where that is no list. */
function chooseWords(program: CompletedCommand): string {
  const placed = placedCommands(program);
  return `  case "$path" in
${placed.map(wordsOf).join('\n')}
  esac
  case "$path:$prev" in
${valueOptions(program).map(valueOf).join('\n')}
    *)
      if [[ $cur == -* ]]; then
        choices="$options"
      else
        case "$path:$count" in
${placed.flatMap(argumentsOf).join('\n')}
        esac
        if [[ $count == 0 ]]; then choices="$choices $commands"; fi
      fi ;;
  esac`;
}

function stepsTo({ path, command }: PlacedCommand): string[] {
  if (path === '') return [];
  const parent = path.slice(0, path.lastIndexOf(' '));
  const ways = command.names.map((name) => `"${parent} ${name}"`);
  return [`      ${ways.join('|')}) path="${path}"; count=0 ;;`];
}

function wordsOf({ path, command }: PlacedCommand): string {
  const own = path === '' ? [] : command.options.flatMap(({ names }) => names);
  const commands = command.commands.flatMap(({ names }) => names).join(' ');
  return `    "${path}") options="${[...own, '$everywhere'].join(' ')}"; commands="${commands}" ;;`;
}

function valueOf(placed: PlacedOption): string {
  return `    ${patternsOf(placed).join('|')}) ${kindOf(placed.option.value ?? 'text')} ;;`;
}

function patternsOf({ path, option }: PlacedOption): string[] {
  return option.names.map((name) => (path === '*' ? `*:${name}` : `"${path}:${name}"`));
}

function argumentsOf({ path, command }: PlacedCommand): string[] {
  const { arguments: all, isVariadic } = command;
  return all.map((value, at) => {
    const isRest = isVariadic && at === all.length - 1;
    return `          "${path}:"${isRest ? '*' : String(at)}) ${kindOf(value)} ;;`;
  });
}

function kindOf(value: Completed): string {
  return typeof value === 'string' ? `kind=${value}` : `choices="${value.join(' ')}"`;
}
