import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { play } from "@easel/conformance/ai/script";
import { stage } from "@easel/conformance/fixture";
import { invite } from "@easel/conformance/guest";
import { send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { symbols } from "pino";
import type { Env } from "../../src/env.ts";
import { HandOver } from "../sign-in/hand-over.ts";
import { chat } from "../support/ai-chat.ts";
import { startAiProvider } from "../support/ai-provider.ts";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

/** Captures the log of the service. Returns a function that returns the text so far. */
function logged(t: TestContext, { log }: Env): () => string {
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[symbols.streamSym];
  assert.ok(stream);
  const { mock } = t.mock.method(stream, "write", () => {});
  return () => mock.calls.map((call) => String(call.arguments[0])).join("");
}

test("log lines name the routes of requests, and contain no invitation, code or key", async (t) => {
  const settings = { SERVICE_LOG_LEVEL: "debug", SERVICE_URL_MODE: "subdomain" };
  const { target, env } = await startDev(t, settings);
  const lines = logged(t, env);
  const canvas = await stage(target);
  await publish(target, canvas, { "index.html": "home" });
  const { pathname } = new URL((await invite(target, canvas)).url);
  const token = pathname.split("/").at(-1) ?? "";
  assert.match(token, /^[\w-]{43}$/);
  const get = (path: string, method = "GET") => send(target.base, { method, path });
  for (const path of [pathname, `${pathname}?a=b`, `${pathname}/`, `/x${pathname}`, `${pathname}%ff`])
    await get(path);
  await get(pathname, "POST");
  await get(pathname, "PROPFIND");
  const way = new HandOver(target.base);
  const begun = await way.begin(canvas.slug);
  const passed = await way.pass(begun.url, canvas.people.viewer.headers);
  assert.equal((await way.enter(canvas.slug, passed.url, begun.secret)).status, 303);
  await way.at(canvas.slug, pathname);
  await canvas.pages.owner.put("/kv/a-private-key", 1);

  const get500 = t.mock.method(env.db, "get", () => Promise.reject(new Error("out of order")));
  assert.equal((await get(pathname)).status, 500);
  get500.mock.restore();

  for (const secret of [token, passed.code, begun.url.searchParams.get("challenge"), "a-private-key"])
    assert.ok(secret && !lines().includes(secret), String(secret));
  for (const route of ["/auth/invite/:token", "/auth/canvas", "/c/:slug/__enter", "/v1/c/:slug/kv/:key"])
    assert.ok(lines().includes(`"route":"${route}"`), route);
  assert.match(lines(), new RegExp(`"slug":"${canvas.slug}"`));
  assert.match(lines(), /"route":"\/auth\/invite\/:token","msg":"a request failed"/);
});

test("a client that goes away before the first byte of a stream is no failure in the log", async (t) => {
  const provider = await startAiProvider(t);
  const { target, env } = await startDev(t, { ...provider.settings, SERVICE_LOG_LEVEL: "debug" });
  const lines = logged(t, env);
  const { slug, people } = await stage(target);
  const abort = new AbortController();
  const received = chat({
    canvas: `${target.base}/v1/c/${slug}`,
    headers: Object.fromEntries(people.owner.headers),
    body: { model: "claude-opus-5-5", messages: [{ role: "user", content: play([{ hang: true }], "gone") }] },
    signal: abort.signal,
  });
  await until("the provider is asked", async () => (await provider.log("gone")).length === 1);
  abort.abort();
  assert.equal((await received).broken, true);
  await until("the provider is left", async () => (await provider.log("gone"))[0]?.ended === "closed");
  await env.background.settled();
  assert.doesNotMatch(lines(), /"level":"error"|a request failed/);
  assert.match(lines(), /"msg":"a client has gone"/);
});
