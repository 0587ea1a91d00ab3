import { defineCommand } from '../program/command.ts';
import { write } from '../terminal/output.ts';

/** Each asks `waypointd __complete` what may follow the words of its line. */
const scripts = {
  // From 3.2 (that of macOS) on, which has no mapfile.
  bash: `# waypointd completion for bash. To use it, add to ~/.bashrc: source <(waypointd completion bash)
_waypointd() {
  local IFS=$'\\n' cur="\${COMP_WORDS[COMP_CWORD]}"
  local lines=($("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  COMPREPLY=()
  # Without a word from us bash offers files.
  if [[ \${lines[0]-file} == file ]]; then return; fi
  compopt +o default 2>/dev/null
  if [[ \${lines[0]} == directory ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -d -- "\${cur#=}"))
  else
    lines=("\${lines[@]:1}")
    COMPREPLY=("\${lines[@]%%$'\\t'*}")
  fi
}
complete -o default -F _waypointd waypointd
`,
  zsh: `#compdef waypointd
# waypointd completion for zsh. To use it: waypointd completion zsh > "\${fpath[1]}/_waypointd"
# or add to ~/.zshrc, after compinit: source <(waypointd completion zsh)
_waypointd() {
  local -a lines offers
  lines=("\${(@f)$(\${words[1]} __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  offers=("\${(@)\${(@)lines[2,-1]//:/\\\\:}/$'\\t'/:}")
  case $lines[1] in
    words) _describe value offers ;;
    directory) _files -/ ;;
    *) _files ;;
  esac
}
if [[ "\${funcstack[1]}" == _waypointd ]]; then _waypointd "$@"; else compdef _waypointd waypointd; fi
`,
  fish: `# waypointd completion for fish. To use it:
#   waypointd completion fish > ~/.config/fish/completions/waypointd.fish
function __waypointd_complete
    set -l typed (commandline -ct)
    set -l words (commandline -opc) "$typed"
    set -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)
    switch "$lines[1]"
        case words
            printf '%s\\n' $lines[2..-1]
        case directory
            __fish_complete_directories "$typed"
        case '*'
            __fish_complete_path "$typed"
    end
end
complete -c waypointd -f -a '(__waypointd_complete)'
`,
} as const;

const shells = ['bash', 'zsh', 'fish'] as const;

export const command = defineCommand({
  name: 'completion',
  summary: 'print a script that lets your shell complete commands',
  description:
    'Prints the script with which a shell completes the commands and options of waypointd.',
  arguments: '<shell>',
  choices: { help: 'bash, zsh or fish', words: shells },
  notes: `To use it:
  bash   add to ~/.bashrc:  source <(waypointd completion bash)
  zsh    add to ~/.zshrc, after compinit:  source <(waypointd completion zsh)
  fish   waypointd completion fish > ~/.config/fish/completions/waypointd.fish`,
  run({ words: [name] }) {
    const shell = shells.find((one) => one === name);
    // The parser has refused all others.
    return shell === undefined ? undefined : write(scripts[shell]);
  },
});
