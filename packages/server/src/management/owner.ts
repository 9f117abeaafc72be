import { z } from "zod";
import { transferCanvas } from "../canvases/update.ts";
import { currentView } from "../canvases/view.ts";
import { refuse } from "../http/refusal.ts";
import { actWithJson } from "./act.ts";
import { ownedCanvas } from "./canvas.ts";
import { email } from "./fields.ts";
import { ok, type Routes } from "./route.ts";

const Owner = z.strictObject({ email });

/** Handing a canvas over to one of its editors; the former owner stays as an editor. */
export const owner: Routes = {
  "/canvases/:id/owner": {
    PUT: actWithJson("canvas.transfer", Owner, {
      may: ownedCanvas,
      async run({ user }, { id }, { email: to }, env) {
        const outcome = await transferCanvas(id, user, to, env);
        if (outcome === "nobody") {
          refuse("INVALID_BODY", { message: "The new owner must be an editor who has signed in." });
        }
        if (outcome !== "done") {
          const message = "The new owner has no room for this canvas. An administrator can give them more.";
          refuse("QUOTA_EXCEEDED", { quota: outcome, message }, 409);
        }
        return ok(await currentView(id, user, env), { target: to });
      },
    }),
  },
};
