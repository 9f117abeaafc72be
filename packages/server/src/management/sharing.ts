import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import type { User } from "../access/principal.ts";
import { access, newPassword, role } from "../canvases/publishing/canvas-schemas.ts";
import { passwordHashOf, saveShareSettings } from "../canvases/publishing/share-settings.ts";
import { findCanvas } from "../canvases/store.ts";
import { viewFor } from "../canvases/view.ts";
import type { Env } from "../env.ts";
import { distinct, email, moment } from "../http/field-schemas.ts";
import { refuse } from "../http/refusal.ts";
import { act } from "./act.ts";
import { preparedJson } from "./body-spec.ts";
import { ok } from "./response-spec.ts";
import { canvas as canvasSchema } from "./responses/canvas.ts";

/** The schema of the request body. A field that is left out keeps its value; null clears it. */
const Sharing = z.strictObject({
  access: access.optional(),
  password: newPassword.nullish(),
  expiresAt: moment.nullish(),
  people: z
    .array(z.strictObject({ email, role }))
    .max(LIMITS.peoplePerCanvas.value)
    .refine((people) => distinct(people.map((each) => each.email)), "must not contain an address twice")
    .nullable()
    .transform((people) => people ?? [])
    .optional(),
  teams: z
    .array(z.strictObject({ id: z.string(), role }))
    .max(LIMITS.teamsPerCanvas.value)
    .refine((teams) => distinct(teams.map(({ id }) => id)), "must not contain a team twice")
    .nullable()
    .transform((teams) => teams ?? [])
    .optional(),
});

/** Replaces the password in the request body with its hash. Hashing is slow. */
async function hashPassword({ password, ...given }: z.output<typeof Sharing>, user: User, env: Env) {
  return { given, passwordHash: await passwordHashOf(password, user, env) };
}

/** The endpoint for the sharing settings of a canvas (docs/sharing.md#sharing-a-canvas). */
export const sharing = [
  act({
    name: "canvas.share",
    method: "PUT",
    path: "/api/canvases/{id}/sharing",
    summary: "Sets who may open a canvas: general access, password, expiry, people and teams.",
    details:
      "Omitted fields stay as they are, null clears. A password has 8 to 200 characters. See [sharing](../sharing.md).",
    allow: "editor",
    affects: "canvas",
    body: preparedJson(Sharing, hashPassword),
    response: ok(canvasSchema),
    errors: ["PUBLIC_LINKS_DISABLED", "PUBLIC_NOT_ALLOWED", "PUBLIC_LINK_OWNER_GATED", "ORG_REQUIRED"],
    async run({ user, canvas, body: { given, passwordHash } }, env) {
      await saveShareSettings(canvas, user, { ...given, passwordHash }, env);
      // The canvas is read as its owner sees it, because an editor may have removed their own role.
      const asOwner = { id: canvas.owner_id, email: canvas.owner_email };
      const row = await findCanvas(canvas.id, asOwner, env);
      const { role } = (await findCanvas(canvas.id, user, env)) ?? canvas;
      const details = {
        ...given,
        ...(passwordHash === undefined ? {} : { password: passwordHash !== null }),
      };
      return { body: await viewFor({ ...(row ?? refuse("NOT_FOUND")), role }, env), audit: { details } };
    },
  }),
];
