import { Refusal } from "../api/refusal.ts";
import { bodyOf, findAccount, serviceAt } from "../api/service.ts";
import type { Context } from "../context.ts";
import { clean } from "../terminal/clean.ts";
import { formatTime, isoTime } from "../terminal/format.ts";

/** Prints the signed-in person, the service, and the scope, expiry and source of the token. */
export async function whoami({ url: given }: { url?: string }, context: Context): Promise<void> {
  const { url, token, source } = await findAccount({ url: given, folder: context.cwd }, context);
  const { api } = serviceAt(url, token, context);
  const { email, name, isAdmin } = await bodyOf(api.GET("/api/me"));
  // Older services have no `/api/token`.
  const info = await bodyOf(api.GET("/api/token")).catch((error: unknown) => {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  });
  const { scope = null, canvas = null, expiresAt = null } = info ?? {};
  const document = { url, email, name, isAdmin, scope, canvas, expiresAt: isoTime(expiresAt), source };
  context.terminal.result(document, () => {
    const where = canvas === null ? "every canvas" : `only the canvas ${canvas.slug ?? canvas.id}`;
    const lines = [
      ["person", `${name} <${email}>${isAdmin ? ", an administrator" : ""}`],
      ["service", url],
      ...(info === undefined
        ? []
        : [
            ["scope", `${scope}, ${where}`],
            ["ends", expiresAt === null ? "never" : formatTime(expiresAt)],
          ]),
      ["token", `from ${source}`],
    ];
    return lines.map(([label = "", text = ""]) => `${label.padEnd(9)}${clean(text)}\n`).join("");
  });
}
