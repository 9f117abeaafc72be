import { Refusal } from "../api/refusal.ts";
import { bodyOf, type Service } from "../api/service.ts";
import { Failure } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { formatTime } from "../terminal/time.ts";

/** Converts a `VERSION_CONFLICT` to a `Failure` that says who deployed meanwhile, and when. Returns any other error unchanged. */
export async function explainConflict(error: unknown, canvasId: string, { api }: Service): Promise<unknown> {
  if (!(error instanceof Refusal) || error.code !== "VERSION_CONFLICT") return error;
  const hint =
    "`easel pull --force` replaces your files by that version; `easel deploy --force` publishes yours over it.";
  try {
    const { versions } = await bodyOf(
      api.GET("/api/canvases/{id}/versions", { params: { path: { id: canvasId } } }),
    );
    const current = versions.find((each) => each.current);
    if (current === undefined)
      return new Failure("The canvas was taken offline meanwhile.", { exit: "conflict", hint });
    const { createdByName, createdAt, message } = current;
    const said = message === null ? "" : `: “${clean(message)}”`;
    const who = `${clean(createdByName)} deployed ${formatTime(createdAt)}`;
    return new Failure(`Another version was published meanwhile. ${who}${said}.`, { exit: "conflict", hint });
  } catch {
    return error;
  }
}
