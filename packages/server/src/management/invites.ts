import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { nameOf } from "../access/email.ts";
import { isId } from "../crypto/ids.ts";
import { refuse } from "../http/refusal.ts";
import { invite, listInvites, revokeInvite } from "../identity/guests.ts";
import { act, actWithJson } from "./act.ts";
import { ownedCanvas, readableCanvas } from "./canvas.ts";
import { email, label } from "./fields.ts";
import { created, done, ok, type Routes } from "./route.ts";

const NewInvite = z.strictObject({ email, name: label(LIMITS.nameLength.value).optional() });

/** Guests of one canvas: those who manage it see the invitations, its owner makes and revokes them. */
export const invites: Routes = {
  "/canvases/:id/invites": {
    async GET(call, env) {
      const { id } = await readableCanvas(call, env);
      return ok({ invites: await listInvites(id, env) });
    },
    POST: actWithJson("canvas.invite", NewInvite, {
      may: ownedCanvas,
      async run({ user }, canvas, given, env) {
        const name = given.name ?? nameOf(given.email);
        const { id, token } = await invite(canvas.id, { email: given.email, name }, user, env);
        const url = `${env.base.origin}/auth/invite/${token}`;
        return created({ id, email: given.email, url }, { target: id, details: { email: given.email } });
      },
    }),
  },
  "/canvases/:id/invites/:invite": {
    DELETE: act("canvas.uninvite", {
      may: ownedCanvas,
      async run({ params: { invite: target = "" } }, { id }, env) {
        if (!isId(target) || !(await revokeInvite(target, id, env))) refuse("NOT_FOUND");
        return done({ target });
      },
    }),
  },
};
