import { text } from "node:stream/consumers";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import { bodyOf } from "../api/service.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The flags of `easel password`. */
export interface PasswordOptions extends CanvasOptions {
  clear?: boolean;
  /** Whether to read the password from stdin. It cannot be an argument, because other users of the computer can see arguments. */
  stdin?: boolean;
}

/** Reads the new password from stdin, without the line break at its end, or asks for it twice. */
async function readPassword(fromStdin: boolean, { ask, stdin }: Terminal): Promise<string> {
  if (fromStdin) {
    const given = (await text(stdin)).replace(/\r?\n$/, "");
    return given === "" ? fail("There is no password on stdin.", { exit: "usage" }) : given;
  }
  const flag = "it on stdin with --stdin";
  const given = await ask.secret({ message: "New password", flag });
  if (given === "") fail("The password is empty; --clear removes it.", { exit: "usage" });
  const again = await ask.secret({ message: "The same again", flag });
  return given === again ? given : fail("The two passwords differ; nothing was changed.", { exit: "usage" });
}

/** Sets or removes the password of a canvas. */
export async function setPassword(options: PasswordOptions, context: Context): Promise<void> {
  const { terminal } = context;
  if (!options.clear && !options.stdin && !terminal.ask.possible)
    fail("There is no terminal to ask for the password in.", {
      exit: "usage",
      hint: "Give it on stdin, as in `easel password --stdin < FILE`, or remove it with --clear.",
    });
  const { service, canvas } = await findCanvas(options, context);
  const password = options.clear ? null : await readPassword(options.stdin === true, terminal);
  const path = { id: canvas.id };
  const { id, slug, url, access, hasPassword } = await bodyOf(
    service.api.PUT("/api/canvases/{id}/sharing", { params: { path }, body: { password } }),
  );
  terminal.say(hasPassword ? "The canvas has the new password." : "The canvas has no password.");
  if (hasPassword && access === "private")
    terminal.say("So far only the people of its list may enter at all.");
  terminal.result({ id, slug, url, access, hasPassword }, () => `${clean(url)}\n`);
}
