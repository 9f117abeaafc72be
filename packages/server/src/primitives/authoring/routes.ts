import { requireEnabled } from "../../canvases/publication-status.ts";
import { passwordHashOf } from "../../canvases/publishing/share-settings.ts";
import { authoredViews } from "../../canvases/view.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import type { Call, Primitive } from "../primitive.ts";
import { managedBy, requireAuthor, scopeOf } from "./author.ts";
import { NewShare, parseMetadata, ShareUpdate, withForm } from "./form.ts";
import { authoringOperations } from "./operations.ts";
import { publishShare, recordChange } from "./publish-share.ts";
import { listAuthored, matching, revokeShare } from "./store.ts";
import { updateShare } from "./update-share.ts";

/**
 * Returns the id of the canvas whose id is in the request path. Throws 401 or 403 if the caller may not publish canvases, 404 `NOT_FOUND`
 * if the caller does not manage this canvas, and 409 `DISABLED` if an administrator has disabled it.
 */
async function changeable(call: Call, env: Env): Promise<string> {
  requireAuthor(call);
  const row = await managedBy(call, call.params.id ?? "", env);
  requireEnabled(row);
  return row.id;
}

/** The routes with which a page creates, updates and revokes canvases for the person who has the page open (specification 4.8). */
export const authoring: Primitive = {
  capability: "authoring",
  description: authoringOperations,
  readable: true,
  leavesCanvas: true,
  routes: {
    "/authoring": {
      async GET(call, env) {
        requireAuthor(call);
        const shares = await authoredViews(await listAuthored(call.user, scopeOf(call, env), env), env);
        return JSON.stringify({ canvases: shares.filter(matching(call.query)) });
      },
      async POST(call, env) {
        requireAuthor(call);
        return withForm(call, { bundle: true }, env, async (form) => {
          const { password, ...given } = parseMetadata(form, NewShare);
          const passwordHash = (await passwordHashOf(password, call.user, env)) ?? undefined;
          const now = await call.readmit();
          requireAuthor(now);
          const file = form.bundle?.file ?? refuse("INVALID_BODY");
          return JSON.stringify(await publishShare(now, { ...given, passwordHash }, file, env));
        });
      },
    },
    "/authoring/:id": {
      async PUT(call, env) {
        const id = await changeable(call, env);
        return withForm(call, { bundle: false }, env, async (form) => {
          const { password, ...given } = parseMetadata(form, ShareUpdate);
          const passwordHash = await passwordHashOf(password, call.user, env);
          const now = await call.readmit();
          requireAuthor(now);
          return JSON.stringify(
            await updateShare(now, id, { ...given, passwordHash }, form.bundle?.file, env),
          );
        });
      },
      async DELETE(call, env) {
        const id = await changeable(call, env);
        if (!(await revokeShare(id, env))) refuse("NOT_FOUND");
        await recordChange(call, { act: "authoring.revoke", canvas: id }, env);
        return { status: 204, body: null };
      },
    },
  },
};
