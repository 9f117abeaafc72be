import { explain, remedyOf } from "./messages.js";
import { MODEL } from "./model.js";

/**
 * Resolves with the reason why the viewer may not use AI, or with null if they may. `me` does not tell the reason, but the refusal of a
 * question does. It costs nothing, because the service asks no model.
 */
export async function refusal() {
  const { permissions } = await easel.me();
  if (permissions.canUseAi) return null;
  return easel.ai.chat([{ role: "user", content: "?" }], { model: MODEL, maxTokens: 1 }).then(
    () => null,
    (error) => error,
  );
}

/** Shows why the page cannot be used, in place of the form; shows the form if the error is null. `isFault` says whether it is a failure. */
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
