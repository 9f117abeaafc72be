import { explain, remedyOf } from "./messages.js";
import { MODEL } from "./model.js";

/**
 * Resolves with the error that says why the viewer may not use AI, or with null if the viewer may. `easel.me()` does not tell the reason,
 * so this function sends a question that the service refuses. A refused question costs nothing.
 */
export async function refusal() {
  const { permissions } = await easel.me();
  if (permissions.canUseAi) return null;
  return easel.ai.chat([{ role: "user", content: "?" }], { model: MODEL, maxTokens: 1 }).then(
    () => null,
    (error) => error,
  );
}

/**
 * If `error` is null, shows the form. Otherwise hides the form and shows the text of the error in its place. The text looks like a failure
 * if `isFault` is true, and like a calm note if it is false.
 */
export function showNote(error, { isFault = false } = {}) {
  const note = document.getElementById("note");
  const remedy = error === null ? "" : remedyOf(error);
  note.querySelector("p").textContent = error === null ? "" : explain(error);
  note.querySelector("code").textContent = remedy;
  note.querySelector("pre").hidden = remedy === "";
  note.classList.toggle("calm", !isFault);
  note.hidden = error === null;
  document.getElementById("form").hidden = error !== null;
}
