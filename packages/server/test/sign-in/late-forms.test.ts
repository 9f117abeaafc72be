import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import type { Header, Request } from "@easel/conformance/http";
import { freshEmail, type Person } from "@easel/conformance/target";
import { sqlText } from "../../src/drivers/db/db.ts";
import { createAppToken } from "../../src/identity/apps.ts";
import type { Caller } from "../../src/identity/credential.ts";
import { signOutUser } from "../../src/identity/sign-out.ts";
import { createToken } from "../../src/identity/tokens.ts";
import { addAppCode } from "../../src/oauth/apps/app-codes.ts";
import { addCode, addDevice, answerDevice } from "../../src/oauth/oauth-codes.ts";
import { answerQuestion, linkIn, newCanvas, openQuestion, readCanvas, shownIn } from "../mcp/confirming.ts";
import { FORM } from "../support/client.ts";
import { connectTool } from "../support/connected-tool.ts";
import { onEngines } from "../support/engines.ts";
import { beginLate } from "../support/late-body.ts";
import { publish } from "../support/publish.ts";
import { CHOICES, newAppAttempt, register } from "./oauth-app.ts";
import { callAs, newAttempt, openPage, submitTo, ticketOf } from "./oauth-client.ts";

const PASSWORD = "open, sesame";

/** What gives a program access. */
const STORES = ["oauth_codes", "app_codes", "tokens", "apps"] as const;

await onEngines("forms that arrive late", (target, env) => {
  const { base } = target;
  let clientId: string;
  before(async () => {
    clientId = await register(base);
  });

  /** Counts the rows with which programs have or get access for a person, in each table. */
  const stored = async (user: string) =>
    Promise.all(
      STORES.map(
        async (table) => (await env.db.all(sqlText(`select 1 from ${table} where user_id = ?`), user)).length,
      ),
    );

  const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);

  /** Sends a form of which all but the first byte comes after `meanwhile`. */
  async function sendLate(
    person: Pick<Person, "headers">,
    path: string,
    fields: Record<string, string>,
    meanwhile: () => unknown,
  ) {
    const headers: Header[] = [FORM, ["Accept", "text/html"], ["Origin", base]];
    const request: Request = { method: "POST", path, headers, body: new URLSearchParams(fields).toString() };
    const finish = await beginLate(base, person, request, "body");
    await meanwhile();
    return finish();
  }

  /** The forms of people, each with the status if nothing ends meanwhile. */
  const FORMS: [
    name: string,
    prepare: (person: Person) => Promise<{ path: string; fields: Record<string, string> }>,
    status: number,
  ][] = [
    [
      "/oauth/authorize for a connected tool",
      async (person) => {
        const { url } = await newAppAttempt(base, clientId);
        return {
          path: url.pathname,
          fields: { ticket: ticketOf(await openPage(url, person.headers)), answer: "allow", ...CHOICES },
        };
      },
      303,
    ],
    [
      "/oauth/authorize for the command line",
      async (person) => {
        const { url } = await newAttempt(base);
        return {
          path: url.pathname,
          fields: { ticket: ticketOf(await openPage(url, person.headers)), answer: "allow" },
        };
      },
      303,
    ],
    [
      "/oauth/device",
      async (person) => {
        const { json } = await callAs(base, "/oauth/device_authorization", { host: "adas-laptop" });
        const fields = { user_code: String(json.user_code) };
        const ticket = ticketOf(await submitTo(base, "/oauth/device", person.headers, fields));
        return { path: "/oauth/device", fields: { ticket, answer: "allow" } };
      },
      200,
    ],
    ["/tokens", async () => ({ path: "/tokens", fields: { name: "CI" } }), 201],
    [
      "/tokens for a connected tool",
      async () => ({ path: "/tokens", fields: { audience: "mcp", name: "An editor", canvas: "made" } }),
      201,
    ],
  ];
  for (const [name, prepare, status] of FORMS) {
    it(`${name}: nothing is stored for a person whose session has ended meanwhile`, async () => {
      const person = await target.signIn(freshEmail("late"));
      const [user, { path, fields }] = [await idOf(person), await prepare(person)];
      const late = await sendLate(person, path, fields, () => signOutUser(user, { tokens: true }, env));
      assert.deepEqual([late.status, await stored(user)], [401, [0, 0, 0, 0]], late.text);
    });

    it(`${name}: ${status} for one whose session goes on`, async () => {
      const person = await target.signIn(freshEmail("late"));
      const { path, fields } = await prepare(person);
      const answer = await sendLate(person, path, fields, () => {});
      assert.equal(answer.status, status, answer.text);
    });
  }

  it("/confirm/{ticket}: nothing is done for a person whose session has ended meanwhile, who can answer later", async () => {
    const person = await target.signIn(freshEmail("late"));
    const user = await idOf(person);
    const tool = await connectTool(base, person, {}, env);
    const canvas = await newCanvas(target, person);
    const path = linkIn(await tool.call("share_canvas", { canvas: canvas.id, access: "public_link" }));
    const shown = shownIn(await openQuestion(target, person, path));
    const end = () => signOutUser(user, { tokens: false }, env);
    const late = await sendLate(person, path, { answer: "allow", shown }, end);
    const again = await target.signIn(person.email);
    assert.deepEqual([late.status, (await readCanvas(target, again, canvas)).access], [401, "private"]);
    assert.equal((await answerQuestion(target, again, path)).status, 200);
    assert.equal((await readCanvas(target, again, canvas)).access, "public_link");
  });

  const GATES: [name: string, end: (canvas: string, user: string) => unknown, status: number][] = [
    ["the session has ended", (_canvas, user) => signOutUser(user, { tokens: false }, env), 401],
    [
      "the role has ended",
      (canvas) => env.db.run`delete from canvas_people where canvas_id = ${canvas}`,
      404,
    ],
    ["nothing has ended", () => {}, 303],
  ];
  for (const [name, end, status] of GATES)
    it(`the password of a canvas: ${status} if ${name} meanwhile`, async () => {
      const { id, slug, people } = await stage(target, { terms: { password: PASSWORD } });
      const user = await idOf(people.viewer);
      const path = `/c/${slug}/__gate`;
      const late = await sendLate(people.viewer, path, { password: PASSWORD }, () => end(id, user));
      assert.deepEqual([late.status, "set-cookie" in late.headers], [status, status === 303], late.text);
    });

  it("the password of a Public link: 401 for a visitor if it is closed meanwhile", async () => {
    const canvas = await stage(target, { access: "public_link", terms: { password: PASSWORD } });
    await publish(target, canvas, { "index.html": "home" });
    const late = await sendLate(
      { headers: [] },
      `/c/${canvas.slug}/__gate`,
      { password: PASSWORD },
      () => env.db.run`update canvases set access = ${"private"} where id = ${canvas.id}`,
    );
    assert.deepEqual([late.status, "set-cookie" in late.headers], [401, false], late.text);
  });

  it("what is stored while everything of a person ends is gone afterwards, or was refused", async () => {
    const person = await target.signIn(freshEmail("race"));
    const user = await idOf(person);
    for (let round = 0; round < 20; round++) {
      const { headers } = await target.signIn(person.email);
      const { url } = await newAppAttempt(base, clientId);
      const ticket = ticketOf(await openPage(url, headers));
      const fields = { ticket, answer: "allow", ...CHOICES };
      const [answer] = await Promise.all([
        submitTo(base, url.pathname, headers, fields),
        signOutUser(user, { tokens: true }, env),
      ]);
      assert.ok([303, 401].includes(answer.status), answer.text);
      assert.deepEqual(await stored(user), [0, 0, 0, 0]);
    }
  });

  it("a statement that stores access for a program requires the session, which another node may have ended", async () => {
    const person = await target.signIn(freshEmail("late"));
    const user = await env.db.get<{ id: string }>`select id from users where email = ${person.email}`;
    const session = await env.db.get<{
      id: string;
    }>`select id from sessions where user_id = ${user?.id ?? ""}`;
    const credential = {
      kind: "session",
      id: session?.id ?? assert.fail(),
      until: Number.POSITIVE_INFINITY,
    } as const;
    const caller = { user: { id: user?.id, email: person.email }, credential } as unknown as Caller<never>;
    const asked = { host: "laptop", scope: "full", canvasId: null } as const;
    const way = { redirectUri: "http://127.0.0.1:1/", state: null, challenge: "c".repeat(43) };
    const client = { id: "c", kind: "registered", name: "C", host: null, verified: false } as const;
    const rights = { scope: "full", canvasId: null, ownOnly: false, confirms: true } as const;
    const device = (await addDevice(asked, "192.0.2.1", env))?.userCode ?? assert.fail();
    const store: [name: string, store: () => Promise<unknown>][] = [
      ["a code of the command line", () => addCode(caller, { ...way, asked }, env)],
      ["a code of a tool", () => addAppCode(caller, { ...way, client, scope: "full" }, rights, env)],
      ["the answer to a device", () => answerDevice(device, caller, "allow", env)],
      ["a token", () => createToken(caller, { name: "CI" }, env)],
      [
        "a token of a tool",
        () => createAppToken(caller, { ...rights, name: "An editor", expiresAt: null }, env),
      ],
    ];
    await env.db.run`delete from sessions where id = ${credential.id}`;
    const id = String(user?.id);
    const before = await stored(id);
    for (const [name, run] of store) await assert.rejects(run(), { status: 401 }, name);
    assert.deepEqual(await stored(id), before);
  });
});
