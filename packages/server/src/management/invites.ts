import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { invite, listInvites, revokeInvite } from "../auth/guests.ts";
import { nameOf } from "../kit/email.ts";
import { isId } from "../kit/ids.ts";
import { readJson } from "../kit/json-body.ts";
import { refuse } from "../kit/refusal.ts";
import { managedCanvas, ownedCanvas } from "./canvas.ts";
import { email, label } from "./fields.ts";
import { created, done, ok, type Routes } from "./route.ts";

const NewInvite = z.strictObject({ email, name: label(LIMITS.nameLength.value).optional() });

/** Guests of one canvas: those who manage it see the invitations, its owner makes and revokes them. */
export const invites: Routes = {
  "/canvases/:id/invites": {
    async GET(call, env) {
      const { id } = await managedCanvas(call, env, "read");
      return ok({ invites: await listInvites(id, env) });
    },
    POST: {
      act: "canvas.invite",
      run: async (call, env) => {
        const canvas = await ownedCanvas(call, env);
        const given = await readJson(call.request, NewInvite);
        const name = given.name ?? nameOf(given.email);
        const { id, token } = await invite(canvas.id, { email: given.email, name }, call.person, env);
        const url = `${env.base.origin}/auth/invite/${token}`;
        return created({ id, email: given.email, url }, { target: id, details: { email: given.email } });
      },
    },
  },
  "/canvases/:id/invites/:invite": {
    DELETE: {
      act: "canvas.uninvite",
      run: async (call, env) => {
        const { id } = await ownedCanvas(call, env);
        const { invite: target = "" } = call.params;
        if (!isId(target) || !(await revokeInvite(target, id, env))) refuse("NOT_FOUND");
        return done({ target });
      },
    },
  },
};
