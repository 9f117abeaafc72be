import { LIMITS } from "@easel/protocol/limits";
import { TOKEN_AUDIENCES, TOKEN_SCOPES } from "@easel/protocol/management";
import { z } from "zod";
import { isId } from "../crypto/ids.ts";
import { label, later } from "../http/field-schemas.ts";
import { refuse } from "../http/refusal.ts";
import { createAppToken } from "../identity/apps.ts";
import { latestTokenEnd } from "../identity/token-ages.ts";
import { acceptsTokens, createToken, deleteToken, listTokens, readToken } from "../identity/tokens.ts";
import { act, created, noContent, ok } from "./act.ts";
import { json } from "./bodies.ts";
import { longPage } from "./list-query.ts";
import { newToken, token, tokenList } from "./responses/account.ts";

const NewToken = z
  .strictObject({
    name: label(LIMITS.nameLength.value),
    expiresAt: later.nullable().default(null),
    scope: z.enum(TOKEN_SCOPES).default("full"),
    canvasId: z.string().refine(isId, "must be the id of a canvas").nullable().default(null),
    audience: z.enum(TOKEN_AUDIENCES).default("api"),
    ownOnly: z.boolean().optional(),
    confirms: z.boolean().optional(),
  })
  .refine(({ audience, ownOnly, confirms }) => audience === "mcp" || (ownOnly ?? confirms) === undefined, {
    message: '`ownOnly` and `confirms` are for a token with `audience: "mcp"`',
  });

/** The message for users of a service that accepts no access tokens. */
export const NOT_ACCEPTED =
  "This service accepts no access tokens, because its sign-in proxy signs every request.";

const list = act({
  name: "token.list",
  method: "GET",
  path: "/api/tokens",
  summary: "Lists the caller's personal access tokens, newest first.",
  allow: "session",
  query: longPage,
  response: ok(tokenList),
  async run({ user, query }, env) {
    const { entries, nextCursor } = await listTokens(user, query, env);
    return { body: { tokens: entries, nextCursor } };
  },
});

const read = act({
  name: "token.read",
  method: "GET",
  path: "/api/token",
  summary: "Returns the access token of the request.",
  details: "404 `NOT_FOUND` for a request without a token.",
  allow: "members",
  ofAnyCanvas: true,
  response: ok(token),
  errors: ["NOT_FOUND"],
  async run({ user, credential }, env) {
    const found = credential?.kind === "token" ? await readToken(credential.id, user, env) : undefined;
    return { body: found ?? refuse("NOT_FOUND") };
  },
});

/** The act that creates an access token. The page `/tokens` also performs it. */
export const createAct = act({
  name: "token.create",
  method: "POST",
  path: "/api/tokens",
  summary: "Creates a personal access token.",
  details:
    'Its secret is returned this once. Without `expiresAt` it is valid for ever, or as long as `SERVICE_TOKEN_MAX_DAYS` allows. With `audience: "mcp"` it is for the tools of `/mcp`, and nothing else: it is then a [connected tool](../sharing.md#connected-tools), whose id is returned. `ownOnly` limits it to canvases that it makes, by default it is not; `confirms`, by default true, makes it ask before a canvas is opened to more people or deleted. See [scopes of tokens](../sharing.md#scopes-of-tokens). 404 `NOT_FOUND` for a canvas on which the caller has no role, 409 `KEY_LIMIT` for someone who has as many unexpired tokens as [one person may](limits.md).',
  allow: "session",
  affects: "people",
  body: json(NewToken),
  response: created(newToken),
  errors: ["NOT_FOUND", "KEY_LIMIT"],
  async run({ user, credential, body }, env) {
    if (!acceptsTokens(env.config)) refuse("PERMISSION_DENIED", { message: NOT_ACCEPTED });
    const { audience, ownOnly = false, confirms = true, expiresAt: asked, ...rest } = body;
    const latest = latestTokenEnd(env.clock(), env);
    if (asked !== null && latest !== null && asked > latest)
      refuse("INVALID_BODY", {
        field: "expiresAt",
        message: `An access token is valid for at most ${env.config.tokenMaxDays} days here.`,
      });
    const fields = { ...rest, expiresAt: asked ?? latest };
    const made = await (audience === "mcp"
      ? createAppToken({ user, credential }, { ...fields, ownOnly, confirms }, env)
      : createToken({ user, credential }, fields, env));
    return { body: made, audit: { target: made.id, details: { ...body, expiresAt: fields.expiresAt } } };
  },
});

/** The act that deletes an access token. The page `/tokens` also performs it. */
export const deleteAct = act({
  name: "token.delete",
  method: "DELETE",
  path: "/api/tokens/{id}",
  summary: "Deletes a personal access token.",
  allow: "session",
  affects: "people",
  response: noContent,
  async run({ user, params: { id } }, env) {
    if (!isId(id) || !(await deleteToken(id, user, env))) refuse("NOT_FOUND");
    return { body: undefined, audit: { target: id } };
  },
});

/** The endpoints for personal access tokens (docs/sharing.md#sessions-and-tokens). */
export const tokens = [list, read, createAct, deleteAct];
