import { z } from "zod";
import { transferCanvas } from "../canvases/update.ts";
import { currentView } from "../canvases/view.ts";
import { email } from "../http/field-schemas.ts";
import { refuse } from "../http/refusal.ts";
import { act } from "./act.ts";
import { json } from "./body-spec.ts";
import { ok } from "./response-spec.ts";
import { canvas } from "./responses/canvas.ts";

const Owner = z.strictObject({ email });

/** The endpoint for transferring a canvas to another owner. */
export const owner = [
  act({
    name: "canvas.transfer",
    method: "PUT",
    path: "/api/canvases/{id}/owner",
    summary: "Makes one of the editors the owner of the canvas and the former owner an editor.",
    details:
      "The slugs of the canvas, former ones included, go along. 409 `QUOTA_EXCEEDED` where the quotas of the new owner have no room for it.",
    allow: "owner",
    affects: "canvas",
    body: json(Owner),
    response: ok(canvas),
    errors: [["QUOTA_EXCEEDED", 409]],
    async run({ user, canvas: { id }, body: { email: to } }, env) {
      const outcome = await transferCanvas(id, user, to, env);
      if (outcome === "not_an_editor") {
        refuse("INVALID_BODY", { message: "The new owner must be an editor who has signed in." });
      }
      if (outcome !== "done") {
        const message =
          "The quotas of the new owner have no room for this canvas; an administrator can raise them.";
        refuse("QUOTA_EXCEEDED", { quota: outcome, message }, 409);
      }
      return { body: await currentView(id, user, env), audit: { target: to } };
    },
  }),
];
