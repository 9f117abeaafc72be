import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { destinationOf } from "../http/cross-site.ts";
import { readFields } from "../http/form-fields.ts";
import { firstValue, type Query } from "../http/query.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { cleanName } from "../identity/users.ts";
import type { ActCaller } from "../management/callers.ts";
import { admit } from "../management/mount.ts";
import { createAct, deleteAct } from "../management/tokens.ts";
import { inputOf } from "../operations/operation.ts";
import { receiveForm } from "../operations/received-form.ts";
import { type Choices, choicesOf, endOf } from "./token-choices.ts";
import type { Fault } from "./token-form.ts";
import { type Shown, sendTokenPage } from "./token-page.ts";

/** Mounts the page `/tokens`, on which a person creates and ends access tokens through the acts of the management API. */
export function mountTokenPage(app: FastifyInstance, env: Env): void {
  app.get("/tokens", async (request, reply) => {
    const { user } = await admitToPage(request, reply, env);
    const query = request.query as Query;
    const audience = firstValue(query, "for") === "mcp" ? "mcp" : "api";
    return sendTokenPage(reply, user, { audience, after: firstValue(query, "cursor") }, env);
  });

  app.post("/tokens", async (request, reply) => {
    const { caller, form } = await receiveForm(request, () => admitToPage(request, reply, env), readFields);
    const id = form.get("remove");
    if (id !== null) {
      await remove(caller, id, env);
      return reply.redirect("/tokens", 303);
    }
    const shown = await create(caller, choicesOf(form, env.config.tokenMaxDays), env);
    return sendTokenPage(reply.code(shown.failed === undefined ? 201 : 400), caller.user, shown, env);
  });
}

/**
 * Admits a request as the management API does, but only with a session, and only if a browser opens the page in a tab. In path mode, the
 * pages of canvases have the same origin, so their scripts could otherwise read a new token.
 */
async function admitToPage(request: FastifyRequest, reply: FastifyReply, env: Env): Promise<ActCaller> {
  const caller = await admit(request, reply, env, { guests: false, page: true });
  const destination = destinationOf(request.headers);
  if (destination === "frame" || destination === "part")
    refuse("CROSS_SITE_FORBIDDEN", { message: "This page can only be opened in a tab." });
  return caller;
}

/** Creates a token from the submitted form. Returns what the page shows then: the token, or the fault of the form. */
async function create(caller: ActCaller, choices: Choices, env: Env): Promise<Shown> {
  const { audience } = choices;
  const failed = (field: Fault["field"], message: string): Shown => ({
    audience,
    failed: { choices, fault: { field, message } },
  });
  const name = cleanName(choices.name);
  if (name === null) return failed("name", "The token needs a name.");
  const expiresAt = endOf(choices, env.config.tokenMaxDays, env.clock());
  if (expiresAt === undefined) return failed("date", "The last day must be today or later.");
  const ownOnly = audience === "mcp" && choices.canvas === "made";
  const canvasId = ownOnly ? null : choices.canvas || null;
  const forTools = audience === "mcp" && { ownOnly, confirms: choices.confirms };
  const value = { audience, name, expiresAt, scope: choices.scope, canvasId, ...forTools };
  try {
    const { body } = await createAct.perform(caller, inputOf({ body: { value } }), env);
    return { audience, created: { name, token: body.token } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === "NOT_FOUND") return failed("canvas", "You have no role on that canvas any more.");
    if (error.code === "INVALID_BODY" || error.code === "KEY_LIMIT") return failed(null, error.message);
    throw error;
  }
}

/** Ends a token. Does nothing if the user has no such token, for example because it was ended in another tab. */
async function remove(caller: ActCaller, id: string, env: Env): Promise<void> {
  try {
    await deleteAct.perform(caller, inputOf({ params: { id } }), env);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "NOT_FOUND") throw error;
  }
}
