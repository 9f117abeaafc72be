import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import type { Header } from "@easel/conformance/http";
import { freshEmail, type Person } from "@easel/conformance/target";
import { LIMITS } from "@easel/protocol/limits";
import { FORM, post } from "../support/client.ts";
import { connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { later, MINUTE_MS } from "../support/time.ts";
import {
  APP_REDIRECT,
  CHOICES,
  codeOf,
  connectApp,
  grantedBy,
  listTools,
  newAppAttempt,
  redeemAs,
  register,
  submitConsent,
} from "./oauth-app.ts";
import { answerAttempt, exchange, failed, newAttempt, openPage, submitTo, ticketOf } from "./oauth-client.ts";
import { isErrorPage } from "./oauth-refusals.ts";

await onSqlite("the question whether a program may be connected", (target, env) => {
  const { base, signIn } = target;
  let clientId: string;
  let ada: Person;
  let eve: Person;
  before(async () => {
    clientId = await register(base);
    [ada, eve] = await Promise.all([signIn(freshEmail("ada")), signIn(freshEmail("eve"))]);
  });

  const open = async (changes: Record<string, string | null> = {}, id = clientId, person = ada) =>
    openPage((await newAppAttempt(base, id, changes)).url, person.headers);
  const createCanvas = async (person = ada): Promise<string> =>
    String((await manage(target, person, "POST", "/api/canvases", { title: "Tea" })).json.id);
  /** Asserts that requests connect no tool and give no code. */
  const givesNothing = async (work: () => Promise<unknown>) => {
    const stored = () => env.db.all`select secret_hash from app_codes union select id from apps order by 1`;
    const asItWas = await stored();
    await work();
    assert.deepEqual(await stored(), asItWas);
  };
  /** Returns the rights of the newest connected tool of a person. */
  const newestOf = ({ email }: Person) =>
    env.db.get`
      select scope, canvas_id, own_only, confirms from apps join users on users.id = user_id
      where email = ${email} order by apps.id desc limit 1`;

  it("names the program, the person, who vouches for it, and where the access goes; cannot be framed or cached", async () => {
    const { status, headers, text } = await open();
    assert.equal(status, 200);
    for (const part of [
      "“<bdi>Test tool</bdi>”",
      ada.email.split("@")[0] ?? "",
      "<bdi>Nobody</bdi>",
      "The program has chosen its name itself.",
      '<dd class="host"><bdi>127.0.0.1:49153</bdi></dd>',
      "A program on this computer",
    ])
      assert.ok(text.includes(part), part);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /form-action 'self' http:\/\/127\.0\.0\.1:49153$/);
    assert.doesNotMatch(text, /<script/);
    assert.equal(headers["x-frame-options"], "DENY");
    assert.equal(headers["cache-control"], "private, no-store");
  });

  for (const [title, given, shown] of [
    ["markup", "<b>Easel</b><script>", "&lt;b&gt;Easel&lt;/b&gt;&lt;script&gt;"],
    ["quotes", `"><img src=x> 'a'`, "&quot;&gt;&lt;img src=x&gt; &#39;a&#39;"],
    ["characters that turn the text around", "a\u202eb\u2066c\u200bd", "abcd"],
    ["a sentence", "Easel.\nAllow this", "Easel. Allow this"],
  ] as const)
    it(`shows ${title} in a name as text`, async () => {
      const { text } = await open({}, await register(base, given));
      assert.ok(text.includes(`<bdi>${shown}</bdi>`), text);
      assert.ok(text.includes(`<title>Let “${shown}” use Easel for you?`));
      assert.doesNotMatch(text, /<script|<img|<b>|\p{Cf}/u);
    });

  it("offers one canvas alone only to a person who has canvases", async () => {
    const person = await signIn(freshEmail("new"));
    const offered = async () =>
      [...(await open({}, clientId, person)).text.matchAll(/name="canvases" value="(\w+)"/g)].map(
        ([, each]) => each,
      );
    assert.deepEqual(await offered(), ["all", "made"]);
    const id = await createCanvas(person);
    assert.deepEqual(await offered(), ["all", "made", "one"]);
    assert.match((await open({}, clientId, person)).text, RegExp(`<option value="${id}">Tea \\(`));
  });

  it("asks every time", async () => {
    await connectApp(base, clientId, ada);
    ticketOf(await open());
    ticketOf(await open({ prompt: "none" }));
  });

  for (const [asked, scope] of [
    ["read", "read"],
    ["read deploy", "deploy"],
    ["full read", "full"],
    ["openid deploy offline_access", "deploy"],
    ["openid", "deploy"],
    ["toString", "deploy"],
    [null, "deploy"],
  ] as const)
    it(`the scope ${asked} offers ${scope} at first, and ${scope === "read" ? "nothing" : "all"} else`, async () => {
      const { text } = await open({ scope: asked });
      const offered = [...text.matchAll(/name="scope" value="(\w+)"/g)].map(([, each]) => each);
      assert.deepEqual(offered, scope === "read" ? ["read"] : ["read", "deploy", "full"]);
      assert.match(text, RegExp(`name="scope" value="${scope}" checked`));
    });

  it("the resource may be left out, end with a slash or be repeated; another one is told as invalid_target", async () => {
    for (const resource of [null, `${base}/mcp/`, `${base}/mcp`]) ticketOf(await open({ resource }));
    const { url } = await newAppAttempt(base, clientId);
    url.searchParams.append("resource", `${base}/mcp`);
    ticketOf(await openPage(url, ada.headers));
    for (const resource of [
      base,
      `${base}/api`,
      `${base}/mcp/x`,
      `${base}/mcp#a`,
      "https://other.example/mcp",
      "mcp",
    ]) {
      const { status, headers } = await open({ resource });
      assert.equal(status, 302, resource);
      const back = new URL(headers.location ?? "");
      assert.deepEqual(
        [back.origin + back.pathname, back.searchParams.get("error"), back.searchParams.get("iss")],
        [APP_REDIRECT, "invalid_target", base],
      );
    }
    url.searchParams.append("resource", "https://other.example/mcp");
    const { headers } = await openPage(url, ada.headers);
    assert.equal(new URL(headers.location ?? "").searchParams.get("error"), "invalid_target");
  });

  it("requests without PKCE, with a repeated parameter, with another response type: the program is told", async () => {
    for (const [changes, error] of [
      [{ code_challenge: null }, "invalid_request"],
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ code_challenge_method: null }, "invalid_request"],
      [{ response_type: "token" }, "unsupported_response_type"],
    ] as [Record<string, string | null>, string][]) {
      const { headers } = await open(changes);
      assert.equal(new URL(headers.location ?? "").searchParams.get("error"), error);
    }
    const { url } = await newAppAttempt(base, clientId);
    url.searchParams.append("scope", "read");
    const { headers } = await openPage(url, ada.headers);
    assert.equal(new URL(headers.location ?? "").searchParams.get("error"), "invalid_request");
    // What is not known is ignored, even if it is repeated.
    url.searchParams.delete("scope");
    for (const value of ["a", "b"]) url.searchParams.append("audience", value);
    ticketOf(await openPage(url, ada.headers));
  });

  it("another redirect URI than those of the program, and a forged client id, are error pages", async () => {
    for (const redirect_uri of [
      "http://127.0.0.1:49153/other",
      "http://localhost:49153/callback",
      "https://127.0.0.1:49153/callback",
      "https://evil.example/callback",
      `${base}/c/evil/`,
      null,
    ])
      isErrorPage(await open({ redirect_uri }));
    const [text = "", signature = ""] = clientId.split(".");
    const forged = Buffer.from(text, "base64url").toString().replace("127.0.0.1", "127.0.0.2");
    isErrorPage(await open({}, `${Buffer.from(forged).toString("base64url")}.${signature}`));
    ticketOf(await open({ redirect_uri: "http://127.0.0.1:50000/callback" }));
  });

  it("without a session: the sign-in, which returns to the question; nothing is said about the program before", async () => {
    const { url } = await newAppAttempt(base, "https://tool.example/client");
    const { headers } = await openPage(url, []);
    const login = new URL(headers.location ?? "", base);
    assert.equal(login.searchParams.get("returnTo"), url.pathname + url.search);
  });

  it("a guest of a canvas: 403", async () => {
    const guest = await guestOf(target, await stage(target));
    isErrorPage(await open({}, clientId, guest as Person), 403);
  });

  it("scripts and frames of canvases in path mode get no question and give no answer: 403", async () => {
    const { url } = await newAppAttempt(base, clientId);
    const ticket = ticketOf(await openPage(url, ada.headers));
    for (const destination of ["empty", "iframe", "script"]) {
      const headers: Header[] = [
        ...ada.headers,
        ["Sec-Fetch-Site", "same-origin"],
        ["Sec-Fetch-Dest", destination],
      ];
      isErrorPage(await openPage(url, headers), 403);
      await givesNothing(async () =>
        isErrorPage(
          await submitTo(base, "/oauth/authorize", headers, { ticket, answer: "allow", ...CHOICES }),
          403,
        ),
      );
    }
    for (const header of [
      ["Origin", "https://evil.example"],
      ["Referer", `${base}/c/evil/`],
    ] as Header[])
      await givesNothing(async () => {
        const body = new URLSearchParams({ ticket, answer: "allow", ...CHOICES }).toString();
        const { status } = await post(base, "/oauth/authorize", [FORM, ...ada.headers, header], body);
        assert.equal(status, 403);
      });
  });

  it("no ticket, a forged one, another person's and an old one: 400, and nothing is allowed", async () => {
    const attempt = await newAppAttempt(base, clientId, { scope: "read" });
    const ticket = ticketOf(await openPage(attempt.url, ada.headers));
    const others = ticketOf(await openPage(attempt.url, eve.headers));
    const [text = "", signature = ""] = ticket.split(".");
    const content = Buffer.from(text, "base64url").toString();
    const changed = [
      ["49153", "49154"],
      ['"scope":"read"', '"scope":"full"'],
      ["Test tool", "Some tool"],
    ].map(([from = "", to = ""]) => {
      assert.ok(content.includes(from));
      return `${Buffer.from(content.replace(from, to)).toString("base64url")}.${signature}`;
    });
    await givesNothing(async () => {
      for (const each of ["", "a.b", others, ...changed])
        isErrorPage(await submitConsent(attempt, ada, { ticket: each, scope: "read" }));
      await later(env, 10 * MINUTE_MS, async () =>
        isErrorPage(
          await submitTo(base, "/oauth/authorize", ada.headers, {
            ...CHOICES,
            ticket,
            answer: "allow",
            scope: "read",
          }),
        ),
      );
    });
  });

  it("choices that the page does not offer: 400, and nothing is allowed", async () => {
    const attempt = await newAppAttempt(base, clientId, { scope: "read" });
    await givesNothing(async () => {
      for (const fields of [
        { scope: "full" },
        { scope: "deploy" },
        { scope: "" },
        { scope: "toString" },
        { scope: "read", canvases: "some" },
        { scope: "read", canvases: "" },
      ])
        isErrorPage(await submitConsent(attempt, ada, fields));
    });
  });

  it("one canvas that the person does not have, or none: the page again, with the choices and what is wrong", async () => {
    const attempt = await newAppAttempt(base, clientId);
    const foreign = await createCanvas(eve);
    await givesNothing(async () => {
      for (const canvas of ["", foreign, "../x"]) {
        const fields = { scope: "read", canvases: "one", canvas, confirms: "" };
        const { status, text } = await submitConsent(attempt, ada, fields);
        assert.equal(status, 400);
        assert.match(text, /role="alert">Choose a canvas/);
        assert.match(text, /name="scope" value="read" checked/);
        assert.match(text, /name="canvases" value="one" checked/);
        assert.doesNotMatch(text, /name="confirms" value="on" checked/);
      }
    });
  });

  it("what the person chooses is what the tool may do", async () => {
    const canvas = await createCanvas();
    for (const [fields, rights] of [
      [{}, { scope: "full", canvas_id: null, own_only: 0, confirms: 1 }],
      [
        { scope: "read", confirms: "" },
        { scope: "read", canvas_id: null, own_only: 0, confirms: 0 },
      ],
      [
        { scope: "deploy", canvases: "made" },
        { scope: "deploy", canvas_id: null, own_only: 1, confirms: 1 },
      ],
      [
        { canvases: "one", canvas },
        { scope: "full", canvas_id: canvas, own_only: 0, confirms: 1 },
      ],
      [
        { canvases: "all", canvas },
        { scope: "full", canvas_id: null, own_only: 0, confirms: 1 },
      ],
    ] as [Record<string, string>, Record<string, unknown>][]) {
      const { scope } = await connectApp(base, clientId, ada, fields);
      assert.equal(scope, rights.scope);
      assert.deepEqual(await newestOf(ada), rights);
    }
  });

  it("a canvas that is deleted between the answer and the exchange: invalid_grant", async () => {
    const canvas = await createCanvas();
    const attempt = await newAppAttempt(base, clientId);
    const code = await codeOf(attempt, ada, { canvases: "one", canvas });
    await manage(target, ada, "DELETE", `/api/canvases/${canvas}`);
    failed(await redeemAs(attempt, code), "invalid_grant");
  });

  it("Cancel: access_denied with state and issuer, and no code", async () => {
    const attempt = await newAppAttempt(base, clientId);
    await givesNothing(async () => {
      const { status, headers } = await submitConsent(attempt, ada, { answer: "deny" });
      assert.equal(status, 303);
      const { searchParams } = new URL(headers.location ?? "");
      assert.deepEqual(
        ["error", "state", "iss", "code"].map((name) => searchParams.get(name)),
        ["access_denied", attempt.state, base, null],
      );
    });
  });

  it("an application is opened by a page with a link, which has the code", async () => {
    const redirect_uri = "com.acme.app://oauth/callback?from=easel";
    const id = await register(base, "Acme", [redirect_uri]);
    const attempt = await newAppAttempt(base, id, { redirect_uri });
    assert.match((await openPage(attempt.url, ada.headers)).text, /<bdi>com\.acme\.app:<\/bdi>/);
    const { status, headers, text } = await submitConsent(attempt, ada);
    assert.equal(status, 200);
    const link = /class="button" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    assert.ok(link.startsWith(`${redirect_uri}&code=`), link);
    assert.equal(headers.refresh, `0; url=${link}`);
    assert.deepEqual(
      [headers["referrer-policy"], headers["cache-control"]],
      ["no-referrer", "private, no-store"],
    );
    const { searchParams } = new URL(link);
    assert.deepEqual([searchParams.get("state"), searchParams.get("iss")], [attempt.state, base]);
    grantedBy(await redeemAs(attempt, searchParams.get("code") ?? ""));
  });

  it("a person with as many connected tools as one may have is told so, and gets no more by an earlier code", async () => {
    const person = await signIn(freshEmail("full"));
    const attempt = await newAppAttempt(base, clientId);
    const code = await codeOf(attempt, person);
    await Promise.all(
      Array.from({ length: LIMITS.appsPerPerson.value }, () => connectTool(base, person, {}, env)),
    );
    isErrorPage(await openPage(attempt.url, person.headers), 409);
    failed(await redeemAs(attempt, code), "invalid_grant");
  });

  it("a person has at most 50 codes at once: 429, until they have expired", async () => {
    const person = await signIn(freshEmail("codes"));
    const attempt = await newAppAttempt(base, clientId);
    const ticket = ticketOf(await openPage(attempt.url, person.headers));
    const allow = () =>
      submitTo(base, "/oauth/authorize", person.headers, { ticket, answer: "allow", ...CHOICES });
    for (let codes = 0; codes < 50; codes++) assert.equal((await allow()).status, 303);
    isErrorPage(await allow(), 429);
    await later(env, MINUTE_MS, async () => assert.equal((await allow()).status, 303));
  });

  it("the command line has its own access, whatever resource it names", async () => {
    for (const resource of [`${base}/mcp`, "https://other.example/"]) {
      const attempt = await newAttempt(base, { resource, scope: "deploy" });
      const { searchParams } = await answerAttempt(attempt, ada.headers, "allow");
      const { json } = await exchange(attempt, searchParams.get("code"), { resource });
      assert.match(String(json.access_token), /^easel_pat_/);
      assert.equal("refresh_token" in json, false);
      assert.equal((await listTools(base, String(json.access_token))).status, 401);
    }
  });

  it("programs may name themselves by HTTP Basic, leave the redirect URI out and repeat the resource", async () => {
    for (const [id, redirect] of [
      [encodeURIComponent(clientId), {}],
      [clientId, { redirect_uri: APP_REDIRECT }],
    ] as const) {
      const attempt = await newAppAttempt(base, clientId);
      const form = new URLSearchParams({
        grant_type: "authorization_code",
        code: await codeOf(attempt, ada),
        code_verifier: attempt.verifier,
        resource: `${base}/mcp`,
        client_secret: "",
        ...redirect,
      });
      form.append("resource", `${base}/mcp/`);
      const basic = Buffer.from(`${id}:`).toString("base64");
      const answer = await post(
        base,
        "/oauth/token",
        [FORM, ["Authorization", `Basic ${basic}`]],
        form.toString(),
      );
      assert.equal((await listTools(base, grantedBy(answer).access_token)).status, 200);
    }
    const two = Buffer.from("other:").toString("base64");
    const body = new URLSearchParams({ client_id: clientId, grant_type: "authorization_code" }).toString();
    for (const basic of [two, "%%%"])
      failed(
        await post(base, "/oauth/token", [FORM, ["Authorization", `Basic ${basic}`]], body),
        basic === two ? "invalid_client" : "invalid_request",
      );
  });
});
