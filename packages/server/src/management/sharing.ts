import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { normalEmail } from "../auth/people.ts";
import { listPeople, setSharing } from "../canvases/sharing.ts";
import { findCanvas } from "../canvases/store.ts";
import { viewOf } from "../canvases/view.ts";
import { readJson } from "../kit/json-body.ts";
import { refuse } from "../kit/refusal.ts";
import { managedCanvas } from "./canvas.ts";
import { ok, type Routes } from "./route.ts";

const Sharing = z.strictObject({
  access: z
    .enum(["private", "specific_people", "whole_org"])
    .transform((access) => (access === "specific_people" ? "private" : access))
    .optional(),
  people: z
    .array(z.strictObject({ email: z.string(), role: z.enum(["editor", "viewer"]) }))
    .max(LIMITS.peoplePerCanvas.value)
    .optional(),
});

/** Who may enter a canvas (management API, section 4). */
export const sharing: Routes = {
  "/canvases/:id/sharing": {
    PUT: {
      act: "canvas.share",
      run: async (call, env) => {
        const canvas = await managedCanvas(call, env);
        const { id, owner_email } = canvas;
        const { access, people } = await readJson(call.request, Sharing);
        const listed = people?.map(({ email, role }) => ({
          email:
            normalEmail(email) ?? refuse("INVALID_BODY", { message: `\`${email}\` is no e-mail address.` }),
          role,
        }));
        const emails = new Set(listed?.map(({ email }) => email));
        if (emails.size !== (listed?.length ?? 0))
          refuse("INVALID_BODY", { message: "Someone is listed twice." });
        if (emails.has(owner_email))
          refuse("INVALID_BODY", { message: "The owner needs no place on the list." });
        await setSharing(id, { access, people: listed }, env);
        // An editor may have given up the own role: then this is the last look at the canvas.
        const row = await findCanvas(id, call.person, env);
        const last = { ...canvas, access: access ?? canvas.access };
        return ok(viewOf(row ?? last, await listPeople(id, env), env));
      },
    },
  },
};
