import { redirectHost } from "../../access/redirect-uri.ts";
import { tokenHash } from "../../crypto/ids.ts";
import { sql, step } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { appRoomSteps, newApp } from "../../identity/apps.ts";
import { auditEntry } from "../../organisation/audit.ts";
import { type Form, refuseInvalidGrant, verifierOf } from "../program-endpoint.ts";
import { requireResource } from "../resource.ts";
import { newAccess } from "./access-answer.ts";
import { type AppCode, findAppCode } from "./app-codes.ts";
import { endApp } from "./end-app.ts";

/** How long a connected tool lasts, even if it is used. */
export const APP_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * Exchanges an authorization code of a program for its access to the tools. Returns the response. Throws `invalid_grant` unless client,
 * redirect URI and PKCE verifier belong to the code. The redirect URI may be missing (OAuth 2.1): the verifier binds the code.
 */
export async function redeemAppCode(form: Form, address: string, env: Env): Promise<object> {
  const verifier = verifierOf(form);
  requireResource(form.get("resource")?.split(" ") ?? [], env.base);
  const code = await findAppCode(form.get("code") ?? "", env);
  const matches =
    code?.challenge === tokenHash(verifier) &&
    code.client_id === form.get("client_id") &&
    code.redirect_uri === (form.get("redirect_uri") ?? code.redirect_uri);
  return (matches && (await connect(code, address, env))) || refuseInvalidGrant();
}

/**
 * Connects the tool that a person has allowed, and returns the response with its tokens. The checks and the writes are one batch, so a code
 * connects one tool, even if several nodes get it at once. Returns null if the code was used or has expired, or if the person was deactivated,
 * has too many connected tools or no longer has a role on the canvas. The second use of a code ends the tool of the first (RFC 6749, section
 * 4.1.2).
 */
async function connect(code: AppCode, address: string, env: Env): Promise<object | null> {
  const { user_id, email, secret_hash, client_id, client_name, client_host, scope, canvas_id } = code;
  const actor = { id: user_id, email };
  const now = env.clock();
  const endsAt = now + APP_LIFETIME_MS;
  const fields = {
    clientId: client_id,
    clientName: client_name,
    clientHost: client_host,
    redirectHost: redirectHost(code.redirect_uri),
    verified: code.verified === 1,
    scope,
    canvasId: canvas_id,
    ownOnly: code.own_only === 1,
    confirms: code.confirms === 1,
    expiresAt: endsAt,
  };
  const app = newApp(actor, fields, { clock: () => now });
  const { inserts, answer } = newAccess({ id: app.id, scope, endsAt }, null, now);
  const { expiresAt: _, clientName: client, ...details } = fields;
  const entry = { act: "app.create", canvas: canvas_id, target: app.id, details: { client, ...details } };
  const recorded = auditEntry({ actor, address, ...entry }, env);
  const outcome = await env.db.withReserve.batch([
    ...appRoomSteps(user_id, { clock: () => now }),
    step("inactive", sql`update users set name = name where id = ${user_id} and deactivated_at is null`),
    sql`update app_codes set app_id = ${app.id}
      where secret_hash = ${secret_hash} and app_id is null and expires_at > ${now}`,
    app.insert,
    ...inserts,
    recorded.statement,
  ]);
  if (outcome === "done") {
    recorded.log();
    return answer;
  }
  // The code that was found may be from before the first use.
  const used = await env.db.get<Pick<AppCode, "app_id">>`
    select app_id from app_codes where secret_hash = ${secret_hash}`;
  await endApp({ ...code, app_id: used?.app_id ?? null }, "code used twice", address, env);
  return null;
}
