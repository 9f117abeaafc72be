import assert from "node:assert/strict";
import { after, test } from "node:test";
import { manage, type Stage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { newKey, sign, signedBy, startKeyServer, TOKEN_HEADER } from "../identity/proxy-tokens.ts";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

test("behind a proxy that signs every request, a link pins a browser, and starts no session", async () => {
  const key = await newKey("ES256", "key");
  const { target, env } = await startDev({ after }, signedBy(await startKeyServer({ after }, key)));
  const asserted: Header[] = [[TOKEN_HEADER, await sign(key, "ES256")]];
  const owner = { email: "ada@example.com", name: "Ada", headers: asserted };
  const { json } = await manage(target, owner, "POST", "/api/canvases", { title: "Tea", slug: "tea" });
  const site = { id: json.id, slug: "tea", people: { owner } } as unknown as Stage;
  const old = await publish(target, site, { "index.html": "old page" });
  await publish(target, site, { "index.html": "live page" });

  const path = `/api/canvases/${site.id}/versions/${old}/preview`;
  refused(await manage(target, owner, "POST", path, { signedIn: true }), 403, "PERMISSION_DENIED");
  const made = await manage(target, owner, "POST", path);
  assert.equal(made.status, 201, made.text);
  const { pathname, search } = new URL(String(made.json.url));
  const get = (path: string, headers: Header[]) => send(target.base, { method: "GET", path, headers });
  const opened = await get(pathname + search, asserted);
  const cookies = (opened.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0] ?? "");
  assert.equal(cookies.length, 1);
  assert.equal((await get("/c/tea/", [...asserted, ["Cookie", cookies[0] ?? ""]])).text, "old page");

  // A session that was started while the service had another sign-in mode.
  await env.db.run`update previews set opened_at = ${1}, expires_at = ${Date.now() + 60_000}`;
  const row = await env.db.get<{ id: string }>`select id from previews`;
  const session = `easel_preview_session=${row?.id}.${env.signer.sign("preview-session", row?.id ?? "")}`;
  assert.equal((await get("/c/tea/", [["Cookie", session]])).status, 401);
});
