import { z } from "zod";
import { transferCanvas } from "../canvases/changes.ts";
import { readJson } from "../kit/json-body.ts";
import { refuse } from "../kit/refusal.ts";
import { currentView, ownedCanvas } from "./canvas.ts";
import { email } from "./fields.ts";
import { ok, type Routes } from "./route.ts";

const Owner = z.strictObject({ email });

/** Handing a canvas over to one of its editors; the former owner stays as an editor. */
export const owner: Routes = {
  "/canvases/:id/owner": {
    PUT: {
      act: "canvas.transfer",
      run: async (call, env) => {
        const { id } = await ownedCanvas(call, env);
        const to = (await readJson(call.request, Owner)).email;
        if (!(await transferCanvas(id, call.person, to, env))) {
          refuse("INVALID_BODY", { message: "The new owner must be an editor who has signed in." });
        }
        return ok(await currentView(id, call.person, env), { target: to });
      },
    },
  },
};
