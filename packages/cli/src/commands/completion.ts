import { Argument, Command } from "commander";
import type { Context } from "../context.ts";

const EXAMPLES = `
Examples:
  echo 'source <(easel completion bash)' >> ~/.bashrc
  echo 'source <(easel completion zsh)' >> ~/.zshrc
  easel completion fish > ~/.config/fish/completions/easel.fish
  easel completion powershell >> $PROFILE

In ~/.zshrc, the line must come after compinit.`;

/** The command `easel completion`. */
export const completion = (context: Context): Command =>
  new Command("completion")
    .description("Prints a script for a shell that completes commands, flags and slugs.")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish", "powershell"]))
    .addHelpText("after", EXAMPLES)
    .action(async (shell) => (await import("../complete/completion.ts")).completion(shell, context));
