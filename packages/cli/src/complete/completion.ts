import { script } from "@bomb.sh/tab";
import type { Context } from "../context.ts";

export type Shell = "bash" | "zsh" | "fish" | "powershell";

/**
 * The completion script for bash. The one of @bomb.sh/tab is not used: it would run `$(…)` in the words of the command line, and it needs
 * the package bash-completion.
 */
const BASH = `# bash completion for easel
_easel() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :0) compopt -o default ;;
      :16) compopt -o dirnames ;;
      :*) ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(easel complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _easel easel
`;

/** Prints the completion script for a shell. */
export function completion(shell: Shell, { terminal }: Context): void {
  if (shell === "bash") terminal.result({ script: BASH }, () => BASH);
  // Prints to `process.stdout`, not to the stream of the terminal.
  else script(shell, "easel", "easel");
}
