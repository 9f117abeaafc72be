import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import type { Header } from "@easel/conformance/http";
import { freshEmail, type Person } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { startDev } from "../support/engines.ts";
import {
  answerAttempt,
  exchange,
  failed,
  newAttempt,
  openPage,
  REDIRECT_URI,
  submitTo,
  ticketOf,
} from "./oauth-client.ts";
import { changesNothing, isErrorPage } from "./oauth-refusals.ts";

const { target, env } = await startDev({ after });
const { base, signIn } = target;
const { port } = new URL(base);

describe("hostile authorization requests", () => {
  let ada: Person;
  before(async () => {
    ada = await signIn(freshEmail("ada"));
  });

  for (const redirect_uri of [
    null,
    "",
    "http://localhost:49152/callback",
    "https://127.0.0.1:49152/callback",
    "http://127.0.0.1/callback",
    "http://127.0.0.1:80@evil.example/callback",
    "http://ada@127.0.0.1:49152/callback",
    "http://127.0.0.1:49152@evil.example/",
    "http://127.0.0.1.evil.example:49152/callback",
    "http://127.0.0.2:49152/callback",
    "http://127.1:49152/callback",
    "http://2130706433:49152/callback",
    "http://0.0.0.0:49152/callback",
    "http://[::]:49152/callback",
    "http://[::ffff:127.0.0.1]:49152/callback",
    "http://evil.example:49152/callback",
    "https://evil.example/",
    "javascript:alert(1)",
    "easel:callback",
    "//127.0.0.1:49152/callback",
    "http:/\\127.0.0.1:49152/callback",
    "http://127.0.0.1:49152/callback?a=b",
    "http://127.0.0.1:49152/callback#a",
    "http://127.0.0.1:49152",
    "http://127.0.0.1:99999/callback",
    "http://127.0.0.1:49152/\r\nSet-Cookie: a=b",
    " http://127.0.0.1:49152/callback",
    "http://127.0.0.1:49152/callback\n",
    `http://127.0.0.1:49152/${"a".repeat(300)}`,
    `http://127.0.0.1:${port}/c/evil/`,
  ]) {
    it(`the redirect URI ${JSON.stringify(redirect_uri)?.slice(0, 60)} is an error page`, async () => {
      isErrorPage(await openPage((await newAttempt(base, { redirect_uri })).url, ada.headers));
    });
  }

  it("an unknown client, and a repeated client or redirect URI, are error pages", async () => {
    isErrorPage(await openPage((await newAttempt(base, { client_id: "other" })).url, ada.headers));
    for (const [name, value] of [
      ["client_id", "easel-cli"],
      ["redirect_uri", "https://evil.example/"],
    ] as const) {
      const { url } = await newAttempt(base);
      url.searchParams.append(name, value);
      isErrorPage(await openPage(url, ada.headers));
    }
  });

  it("a huge request is an error page", async () => {
    isErrorPage(await openPage((await newAttempt(base, { host: "a".repeat(2_000) })).url, ada.headers));
  });

  const FAULTS: [title: string, changes: Record<string, string | null>, error: string][] = [
    ["no challenge", { code_challenge: null }, "invalid_request"],
    ["no challenge method", { code_challenge_method: null }, "invalid_request"],
    ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["a short challenge", { code_challenge: "a".repeat(42) }, "invalid_request"],
    ["a token instead of a code", { response_type: "token" }, "unsupported_response_type"],
    ["no response type", { response_type: null }, "unsupported_response_type"],
    ["an unknown scope", { scope: "admin" }, "invalid_scope"],
    ["two scopes", { scope: "read full" }, "invalid_scope"],
    ["a scope of an object", { scope: "toString" }, "invalid_scope"],
    ["a canvas that is no id", { canvas: "../x" }, "invalid_request"],
    ["a huge state", { state: "a".repeat(1_001) }, "invalid_request"],
    ["a state with a line break", { state: "a\r\nb" }, "invalid_request"],
  ];
  for (const [title, changes, error] of FAULTS) {
    it(`${title}: the program is told ${error}, without a question`, async () => {
      const { url, state } = await newAttempt(base, changes);
      const { status, headers } = await openPage(url, ada.headers);
      assert.equal(status, 302);
      const back = new URL(headers.location ?? "");
      assert.equal(back.origin + back.pathname, REDIRECT_URI);
      assert.deepEqual([back.searchParams.get("error"), back.searchParams.get("iss")], [error, base]);
      assert.equal(back.searchParams.get("state"), "state" in changes ? null : state);
    });
  }

  for (const name of ["scope", "state", "code_challenge", "host", "response_type", "code_challenge_method"]) {
    it(`${name} twice: the program is told invalid_request`, async () => {
      const { url } = await newAttempt(base, { scope: "read" });
      url.searchParams.append(name, url.searchParams.get(name) ?? "");
      const { headers } = await openPage(url, ada.headers);
      assert.equal(new URL(headers.location ?? "").searchParams.get("error"), "invalid_request");
    });
  }

  for (const [host, shown] of [
    ["<script>alert(1)</script>", "scriptalert1script"],
    ['"><img src=x>', "imgsrcx"],
    ["a\u202eb\u2066c\u200bd\u0000e\nf", "abcdef"],
    ["laptop — allow this, says your administrator", "laptopallowthissaysyouradministrator"],
    ["\ud800", "unnamed"],
    ["", "unnamed"],
    ["x".repeat(500), "x".repeat(64)],
    ["Adas-MacBook_Pro.local", "Adas-MacBook_Pro.local"],
    ["компьютер", "компьютер"],
  ] as const) {
    it(`the host ${JSON.stringify(host.slice(0, 50))} is shown as ${shown.slice(0, 50)}`, async () => {
      const { text } = await openPage((await newAttempt(base, { host })).url, ada.headers);
      assert.match(text, RegExp(`<bdi>${shown}</bdi>`));
      assert.doesNotMatch(text, /<script|<img|\p{Cf}/u);
    });
  }

  it("the page names the person, the scope and the end, and cannot be framed or cached", async () => {
    const { status, headers, text } = await openPage(
      (await newAttempt(base, { scope: "read" })).url,
      ada.headers,
    );
    assert.equal(status, 200);
    for (const part of [ada.email.split("@")[0] ?? "", "changes nothing", "90 days", 'href="/tokens"'])
      assert.ok(text.includes(part), part);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /form-action 'self' http:\/\/127\.0\.0\.1:49152$/);
    assert.equal(headers["x-frame-options"], "DENY");
    assert.equal(headers["cache-control"], "private, no-store");
  });

  it("without a session: the sign-in, which returns to the question; a token is no session", async () => {
    const { url } = await newAttempt(base);
    const { headers } = await openPage(url, []);
    const login = new URL(headers.location ?? "", base);
    assert.equal(login.searchParams.get("returnTo"), url.pathname + url.search);
    const { headers: bearer } = await tokenOf(target, ada);
    assert.equal((await openPage(url, bearer)).status, 302);
  });

  it("scripts and frames of canvases in path mode get no question and give no answer: 403", async () => {
    const { url } = await newAttempt(base);
    const ticket = ticketOf(await openPage(url, ada.headers));
    for (const destination of ["empty", "iframe", "object", "script"]) {
      const headers: Header[] = [
        ...ada.headers,
        ["Sec-Fetch-Site", "same-origin"],
        ["Sec-Fetch-Dest", destination],
      ];
      isErrorPage(await openPage(url, headers), 403);
      isErrorPage(await openPage(new URL("/oauth/device", base), headers), 403);
      await changesNothing(env, async () => {
        const fields = { ticket, answer: "allow" };
        isErrorPage(await submitTo(base, "/oauth/authorize", headers, fields), 403);
        isErrorPage(await submitTo(base, "/oauth/device", headers, fields), 403);
      });
    }
  });

  it("a guest of a canvas: 403", async () => {
    const canvas = await stage(target);
    const guest = await guestOf(target, canvas);
    isErrorPage(await openPage((await newAttempt(base)).url, guest.headers), 403);
    isErrorPage(await openPage(new URL("/oauth/device", base), guest.headers), 403);
  });

  it("a canvas on which the person has no role: an error page; on an own one, the page names it and the token is bound to it", async () => {
    const canvas = await stage(target, { people: { ...(await stage(target)).people, owner: ada } });
    const attempt = await newAttempt(base, { canvas: canvas.id, scope: "deploy" });
    isErrorPage(await openPage(attempt.url, (await signIn(freshEmail("eve"))).headers), 404);
    assert.match((await openPage(attempt.url, ada.headers)).text, /<bdi>Conformance<\/bdi>/);
    const code = (await answerAttempt(attempt, ada.headers, "allow")).searchParams.get("code");
    assert.equal((await exchange(attempt, code)).status, 200);
    const { json } = await manage(target, ada, "GET", "/api/tokens");
    const [newest] = json.tokens as { canvas: { id: string }; scope: string }[];
    assert.deepEqual([newest?.canvas.id, newest?.scope], [canvas.id, "deploy"]);
    const late = await newAttempt(base, { canvas: canvas.id });
    const lateCode = (await answerAttempt(late, ada.headers, "allow")).searchParams.get("code");
    await manage(target, ada, "DELETE", `/api/canvases/${canvas.id}`);
    await changesNothing(env, async () => failed(await exchange(late, lateCode), "invalid_grant"));
  });
});
