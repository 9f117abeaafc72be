import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { freshEmail, type Person } from "@easel/conformance/target";
import { type ConnectedTool, connectTool, type ToolResult } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { later, MINUTE_MS } from "../support/time.ts";
import { answerQuestion, linkIn, newCanvas, openQuestion, readCanvas, textOf } from "./confirming.ts";

const FORM = { elicitation: { form: {} } };
const BOTH = { elicitation: { form: {}, url: {} } };

await onSqlite("share_canvas", (target, env) => {
  let ada: Person;
  let bob: Person;
  let tool: ConnectedTool;

  before(async () => {
    [ada, bob] = await Promise.all([target.signIn(freshEmail("ada")), target.signIn(freshEmail("bob"))]);
    tool = await connectTool(target.base, ada, {}, env);
  });

  const share = (args: object) => tool.call("share_canvas", args);
  const later1h = () => new Date(env.clock() + 60 * MINUTE_MS).toISOString();
  const viewer = (email: string) => ({ email, role: "viewer" });

  it("narrows at once", async () => {
    const canvas = await newCanvas(target, ada, {
      access: "public_link",
      people: [viewer(bob.email), { email: "cy@acme.test", role: "editor" }],
    });
    const people = [
      { email: bob.email, role: "none" },
      { email: "CY@acme.test", role: "viewer" },
    ];
    const until = later1h();
    const args = { canvas: canvas.id, access: "private", password: "long enough", until, people };
    const { changed } = await tool.use<{ changed: string[] }>("share_canvas", args);
    const now = await readCanvas(target, ada, canvas);
    assert.deepEqual(
      [now.access, now.hasPassword, now.expiresAt, now.people.map(({ email, role }) => [email, role])],
      ["private", true, Date.parse(until), [["cy@acme.test", "viewer"]]],
    );
    assert.equal(changed.length, 5);
  });

  describe("asks its person for", () => {
    const inAnHour = () => env.clock() + 60 * MINUTE_MS;
    const WIDER: [title: string, args: () => object, sharing?: () => object][] = [
      ["a person", () => ({ people: [viewer(bob.email)] })],
      ["an editor", () => ({ people: [{ email: bob.email, role: "editor" }] })],
      ["a guest", () => ({ people: [{ email: freshEmail("guest"), role: "guest" }] })],
      [
        "a role that is raised",
        () => ({ people: [{ email: bob.email, role: "editor" }] }),
        () => ({ people: [viewer(bob.email)] }),
      ],
      ["the organisation", () => ({ access: "whole_org" })],
      ["a Public link", () => ({ access: "public_link" })],
      ["no password", () => ({ password: null }), () => ({ password: "long enough" })],
      ["no end", () => ({ until: null }), () => ({ expiresAt: inAnHour() })],
      [
        "a later end",
        () => ({ until: new Date(inAnHour() + MINUTE_MS).toISOString() }),
        () => ({ expiresAt: inAnHour() }),
      ],
      ["a listing", () => ({ listed: true })],
      ["the gallery", () => ({ gallery: true })],
      ["a template", () => ({ template: true })],
    ];
    for (const [title, args, sharing = () => ({})] of WIDER)
      it(title, async () => {
        const canvas = await newCanvas(target, ada, sharing());
        const call = { canvas: canvas.id, ...args() };
        const path = linkIn(await share(call));
        assert.deepEqual(await readCanvas(target, ada, canvas), canvas);
        const { text } = await answerQuestion(target, ada, path);
        assert.match(text, /Allowed and done/);
        const { json } = await manage(target, ada, "GET", `/api/canvases/${canvas.id}/invites`);
        if ((json.invites as unknown[]).length === 0)
          assert.notDeepEqual(
            { ...(await readCanvas(target, ada, canvas)), updatedAt: 0 },
            { ...canvas, updatedAt: 0 },
          );
        assert.deepEqual((await tool.use("share_canvas", call)).changed, []);
      });

    it("a team by its name", async () => {
      const team = await manage(target, ada, "POST", "/api/teams", { name: "Crew", members: [bob.email] });
      assert.equal(team.status, 201, team.text);
      const canvas = await newCanvas(target, ada);
      const teams = [{ team: "Crew", role: "viewer" }];
      const path = linkIn(await share({ canvas: canvas.id, teams }));
      assert.match((await answerQuestion(target, ada, path)).text, /the team Crew/);
      assert.match(
        textOf(await share({ canvas: canvas.id, teams: [{ team: "Nobody", role: "viewer" }] })),
        /^INVALID_BODY: There is no team "Nobody"[\s\S]*Crew/,
      );
    });
  });

  it("does what narrows at once, and asks for the rest", async () => {
    const canvas = await newCanvas(target, ada, { people: [viewer(bob.email)] });
    const people = [
      { email: bob.email, role: "none" },
      { email: "dora@acme.test", role: "editor" },
    ];
    const result = await share({ canvas: canvas.id, password: "long enough", people });
    assert.match(textOf(result), /Done already: [\s\S]*confirm/);
    const now = await readCanvas(target, ada, canvas);
    assert.deepEqual([now.people, now.hasPassword], [[], true]);
    assert.doesNotMatch(
      Buffer.from(linkIn(result).split("/")[2] ?? "", "base64url").toString(),
      /long enough/,
    );
  });

  it("asks for strangers even where the person has waived questions", async () => {
    const free = await connectTool(target.base, ada, { confirms: false }, env);
    const canvas = await newCanvas(target, ada);
    await free.use("share_canvas", { canvas: canvas.id, access: "whole_org", people: [viewer(bob.email)] });
    assert.equal((await readCanvas(target, ada, canvas)).access, "whole_org");
    linkIn(await free.call("share_canvas", { canvas: canvas.id, access: "public_link" }));
    const people = [{ email: freshEmail("guest"), role: "guest" }];
    linkIn(await free.call("share_canvas", { canvas: canvas.id, people }));
    const open = await newCanvas(target, ada, { access: "public_link", password: "long enough" });
    linkIn(await free.call("share_canvas", { canvas: open.id, password: null }));
    assert.equal((await readCanvas(target, ada, open)).hasPassword, true);
  });

  it("sets no other password", async () => {
    const canvas = await newCanvas(target, ada, { password: "long enough" });
    const result = await share({ canvas: canvas.id, password: "another one" });
    assert.match(textOf(result), /^INVALID_BODY: This canvas has another password already[\s\S]*\/sharing/);
  });

  it("a call that is sent again with its password asks for what is left", async () => {
    const canvas = await newCanvas(target, ada);
    const args = { canvas: canvas.id, access: "public_link", password: "long enough" };
    linkIn(await share(args));
    const path = linkIn(await share(args));
    await answerQuestion(target, ada, path);
    assert.deepEqual((await tool.use("share_canvas", args)).changed, []);
    const now = await readCanvas(target, ada, canvas);
    assert.deepEqual([now.access, now.hasPassword], ["public_link", true]);
  });

  it("asks for no more than the sign-in can return to", async () => {
    const canvas = await newCanvas(target, ada);
    const people = Array.from({ length: 20 }, (_, index) =>
      viewer(`${index}-${"long".repeat(12)}@acme.test`),
    );
    assert.match(
      textOf(await share({ canvas: canvas.id, people })),
      /^INVALID_BODY: .*too much for one question/,
    );
    const path = linkIn(await share({ canvas: canvas.id, people: people.slice(0, 8) }));
    assert.ok(path.length <= 1_500);
  });

  it("asks nobody for what they may not do", async () => {
    const canvas = await newCanvas(target, ada, { people: [{ email: bob.email, role: "editor" }] });
    const editors = await connectTool(target.base, bob, {}, env);
    const people = [{ email: freshEmail("guest"), role: "guest" }];
    assert.match(textOf(await editors.call("share_canvas", { canvas: canvas.id, people })), /^OWNER_ONLY: /);
    const until = "2001-01-01T00:00:00Z";
    assert.match(textOf(await share({ canvas: canvas.id, until })), /^INVALID_BODY: .*future/);
    assert.match(textOf(await share({ canvas: canvas.id, until: "soon" })), /^INVALID_BODY: .*2026-/);
    const view = await newCanvas(target, ada, { people: [viewer(bob.email)] });
    assert.match(
      textOf(await editors.call("share_canvas", { canvas: view.id, access: "private" })),
      /^PERMISSION_DENIED: /,
    );
  });

  describe("in programs that ask their person", () => {
    const requestOf = (result: ToolResult) => {
      assert.equal(result.resultType, "input_required", textOf({ ...result, content: result.content ?? [] }));
      return result.inputRequests?.confirm?.params ?? assert.fail("no question");
    };
    const withForm = () => connectTool(target.base, ada, { capabilities: FORM }, env);
    const accept = (allow: unknown = true) => ({ confirm: { action: "accept", content: { allow } } });

    it("a form suffices for colleagues who view", async () => {
      const form = await withForm();
      const canvas = await newCanvas(target, ada);
      const args = { canvas: canvas.id, people: [viewer(bob.email)] };
      const first = await form.call("share_canvas", args);
      assert.equal(requestOf(first).mode, "form");
      assert.match(String(requestOf(first).message), new RegExp(bob.email));
      assert.deepEqual((await readCanvas(target, ada, canvas)).people, []);
      const answers = { inputResponses: accept(), requestState: first.requestState as string };
      const done = await form.call("share_canvas", args, answers);
      assert.notEqual(done.isError, true, JSON.stringify(done));
      assert.equal((await readCanvas(target, ada, canvas)).people[0]?.email, bob.email);

      await manage(target, ada, "PUT", `/api/canvases/${canvas.id}/sharing`, { people: [] });
      assert.match(textOf(await form.call("share_canvas", args, answers)), /^INVALID_BODY: `requestState`/);
      assert.deepEqual((await readCanvas(target, ada, canvas)).people, []);
    });

    it("a form suffices for nothing else, whatever a careless program answers", async () => {
      const form = await withForm();
      const canvas = await newCanvas(target, ada);
      for (const args of [
        { access: "public_link" },
        { access: "whole_org" },
        { people: [{ email: bob.email, role: "editor" }] },
        { people: [{ email: bob.email, role: "guest" }] },
        { people: [viewer(freshEmail("stranger"))] },
        { people: [viewer(bob.email)], listed: true },
      ]) {
        const call = { canvas: canvas.id, ...args };
        const path = linkIn(await form.call("share_canvas", call));
        const requestState = path.slice("/confirm/".length);
        const forced = await form.call("share_canvas", call, { inputResponses: accept(), requestState });
        linkIn(forced);
      }
      assert.deepEqual(await readCanvas(target, ada, canvas), canvas);
    });

    it("an answer to a page is what the page was told, not what the program says", async () => {
      const both = await connectTool(target.base, ada, { capabilities: BOTH }, env);
      const canvas = await newCanvas(target, ada);
      const args = { canvas: canvas.id, access: "public_link" };
      const first = await both.call("share_canvas", args);
      const { mode, url } = requestOf(first);
      assert.equal(mode, "url");
      const requestState = first.requestState as string;
      const waiting = await both.call("share_canvas", args, { inputResponses: accept(), requestState });
      linkIn(waiting);
      assert.equal((await readCanvas(target, ada, canvas)).access, "private");
      await answerQuestion(target, ada, new URL(String(url)).pathname);
      const done = await both.call("share_canvas", args, { inputResponses: accept(), requestState });
      assert.notEqual(done.isError, true);
      assert.equal((await readCanvas(target, ada, canvas)).access, "public_link");
    });

    it("a refusal in the program ends the link, too", async () => {
      const both = await connectTool(target.base, ada, { capabilities: BOTH }, env);
      const canvas = await newCanvas(target, ada);
      const args = { canvas: canvas.id, access: "public_link" };
      const { requestState = "" } = await both.call("share_canvas", args);
      const inputResponses = { confirm: { action: "decline" } };
      const denied = await both.call("share_canvas", args, { inputResponses, requestState });
      assert.match(textOf(denied), /^PERMISSION_DENIED: Your person did not allow/);
      assert.match((await openQuestion(target, ada, `/confirm/${requestState}`)).text, /Nothing was done/);
      assert.match(textOf(await both.call("share_canvas", args)), /^PERMISSION_DENIED/);
    });

    for (const [title, responses] of [
      ["declines", { confirm: { action: "decline" } }],
      ["cancels", { confirm: { action: "cancel" } }],
      ["does not tick the box", { confirm: { action: "accept", content: { allow: false } } }],
      ["sends another type", { confirm: { action: "accept", content: { allow: "true" } } }],
      ["sends no answer", {}],
    ] as [string, object][])
      it(`nothing happens if the person ${title}`, async () => {
        const form = await withForm();
        const canvas = await newCanvas(target, ada);
        const args = { canvas: canvas.id, people: [viewer(bob.email)] };
        const { requestState = "" } = await form.call("share_canvas", args);
        const denied = await form.call("share_canvas", args, { inputResponses: responses, requestState });
        assert.match(textOf(denied), /^PERMISSION_DENIED: /);
        assert.deepEqual((await readCanvas(target, ada, canvas)).people, []);
      });

    it("a state is of one call: not forged, not of another canvas, person or program, and not old", async () => {
      const form = await withForm();
      const [canvas, other] = [await newCanvas(target, ada), await newCanvas(target, ada)];
      const args = { canvas: canvas.id, people: [viewer(bob.email)] };
      const cy = await target.signIn(freshEmail("cy"));
      const { requestState = "" } = await form.call("share_canvas", args);
      const [text = "", signature = ""] = requestState.split(".");
      const changed = Buffer.from(text, "base64url").toString().replace(bob.email, cy.email);
      const forged = `${Buffer.from(changed).toString("base64url")}.${signature}`;
      const inputResponses = accept();
      const isRefused = async (by: ConnectedTool, call: object, state: string) => {
        const result = await by.call("share_canvas", call, { inputResponses, requestState: state });
        assert.match(textOf(result), /^(INVALID_BODY: `requestState`|NOT_FOUND)/);
      };
      await isRefused(form, { ...args, people: [viewer(cy.email)] }, requestState);
      await isRefused(form, { ...args, people: [viewer(cy.email)] }, forged);
      await isRefused(form, { ...args, canvas: other.id }, requestState);
      await isRefused(form, args, "a.b");
      await isRefused(await withForm(), args, requestState);
      await isRefused(await connectTool(target.base, bob, { capabilities: FORM }, env), args, requestState);
      await later(env, 10 * MINUTE_MS, async () => {
        await isRefused(await withForm(), args, requestState);
      });
      const people = [{ email: "new@acme.test", role: "viewer" }];
      await manage(target, ada, "PUT", `/api/canvases/${canvas.id}/sharing`, { people });
      await isRefused(form, args, requestState);
      assert.deepEqual(
        (await readCanvas(target, ada, canvas)).people.map(({ email }) => email),
        ["new@acme.test"],
      );
    });
  });
});
