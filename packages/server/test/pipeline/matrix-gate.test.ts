import assert from "node:assert/strict";
import { after, it } from "node:test";
import { unlocked } from "@easel/conformance/authentication/site";
import { type Stage, stage } from "@easel/conformance/fixture";
import { call, pageHeaders } from "@easel/conformance/page";
import { refused } from "@easel/conformance/refusal";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

const MINUTE_MS = 60_000;
const { target, env } = await startDev({ after });

/** Creates a Public link canvas with a page and a password. */
async function link(): Promise<Stage> {
  const canvas = await stage(target, { access: "public_link", terms: { password: "open, sesame" } });
  await publish(target, canvas, { "index.html": "home" });
  return canvas;
}

it("a password cookie is bound to its canvas, even if another has the same hash", async () => {
  const [canvas, other] = [await link(), await link()];
  await env.db.run`
    update canvases set password_hash = (select password_hash from canvases where id = ${canvas.id}) where id = ${other.id}`;
  const cookie = (await unlocked(target, canvas, null)).gateCookie(canvas.slug);
  const me = (slug: string) =>
    call(target, slug, null, "GET", "/me", [
      ["Cookie", `__service_gate=${cookie}`],
      ...pageHeaders(target, slug),
    ]);
  refused(await me(canvas.slug), 403, "STATIC_ONLY");
  refused(await me(other.slug), 403, "PASSWORD_REQUIRED");
});

it("a password cookie expires, even if the browser goes on sending it", async () => {
  const canvas = await link();
  const browser = await unlocked(target, canvas, null);
  const visit = await browser.unlock(canvas.slug, "open, sesame");
  const cookie = visit.headers["set-cookie"]?.find((line) => line.startsWith("__service_gate=")) ?? "";
  const end = Date.now() + Number(/max-age=(\d+)/i.exec(cookie)?.[1] ?? assert.fail(cookie)) * 1000;
  const page = browser.api(canvas.slug);
  env.clock = () => end - MINUTE_MS;
  refused(await page.get("/me"), 403, "STATIC_ONLY");
  env.clock = () => end + MINUTE_MS;
  refused(await page.get("/me"), 403, "PASSWORD_REQUIRED");
});
