import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { freshEmail } from "@easel/conformance/target";
import type { Canvas } from "@easel/protocol/types";
import { whole } from "../support/canvas.ts";
import { onSqlite } from "../support/engines.ts";

const ADA = { email: "ada@example.com", role: "viewer" };
const EVE = { email: "eve@example.com", role: "editor" };
const crowd = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    email: `p${String(index).padStart(4, "0")}@example.com`,
    role: "viewer",
  }));

/** Changes of the sharing settings, in order, and `access` and people of the canvas after each. */
const STEPS: [name: string, body: object, access: Canvas["access"], people: object[]][] = [
  ["a list", { people: [EVE, ADA] }, "private", [ADA, EVE]],
  ["the audience alone: the list stays", { access: "whole_org" }, "whole_org", [ADA, EVE]],
  [
    "another list: it is replaced whole",
    { people: [{ ...ADA, role: "editor" }] },
    "whole_org",
    [{ ...ADA, role: "editor" }],
  ],
  ["nothing: all stays", {}, "whole_org", [{ ...ADA, role: "editor" }]],
  [
    "specific_people, which is private",
    { access: "specific_people" },
    "private",
    [{ ...ADA, role: "editor" }],
  ],
  ["both at once", { access: "whole_org", people: [EVE] }, "whole_org", [EVE]],
  [
    "an address with spaces and capitals",
    { people: [{ email: " ADA@Example.com ", role: "viewer" }] },
    "whole_org",
    [ADA],
  ],
  ["the longest list", { access: "private", people: crowd(1000) }, "private", crowd(1000)],
  ["an empty list", { people: [] }, "private", []],
];

const HOSTILE: [name: string, body: object][] = [
  ["an unknown audience", { access: "everyone" }],
  ["an audience in capitals", { access: "PRIVATE" }],
  ["an empty audience", { access: "" }],
  ["an audience that is a list", { access: ["private"] }],
  ["an unknown field", { access: "private", owner: "ada@example.com" }],
  ["a list that is an object", { people: { ada: "viewer" } }],
  ["a list of addresses", { people: ["ada@example.com"] }],
  ["a list in a list", { people: [[ADA]] }],
  ["nobody on the list", { people: [null] }],
  ["someone without an address", { people: [{ role: "viewer" }] }],
  ["someone without a role", { people: [{ email: "ada@example.com" }] }],
  ["an owner on the list", { people: [{ ...ADA, role: "owner" }] }],
  ["an unknown role", { people: [{ ...ADA, role: "admin" }] }],
  ["an unknown field of a person", { people: [{ ...ADA, id: "1" }] }],
  ["an address that is a number", { people: [{ ...ADA, email: 1 }] }],
  ["no address", { people: [{ ...ADA, email: "ada" }] }],
  ["an empty address", { people: [{ ...ADA, email: "" }] }],
  ["two addresses in one", { people: [{ ...ADA, email: "ada@example.com,eve@example.com" }] }],
  ["an address with a NUL", { people: [{ ...ADA, email: "ada\0@example.com" }] }],
  ["an address with a line break", { people: [{ ...ADA, email: "ada@example.com\nBcc: eve@example.com" }] }],
  ["the same address twice", { people: [ADA, ADA] }],
  ["the same address twice, in other letters", { people: [ADA, { ...EVE, email: "ADA@example.com" }] }],
  ["1,001 people", { people: crowd(1001) }],
  ["one bad address among good ones", { access: "whole_org", people: [EVE, { ...ADA, email: "@" }] }],
];

const SWITCHES: [name: string, body: object][] = [
  ["a switch that is text", { kv: "true" }],
  ["a switch that is a number", { backendEnabled: 1 }],
  ["a switch that is null", { files: null }],
  ["an unknown switch", { everything: true }],
  ["an unknown audience", { aiAudience: "everyone" }],
  ["an audience that is a switch", { aiAudience: true }],
  ["one bad switch among good ones", { kv: false, ai: "off" }],
];

await onSqlite("sharing and switches", (target, env) => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
  });
  const set = (what: string, body: object, person = site.people.owner) =>
    manage(target, person, what === "sharing" ? "PUT" : "PATCH", `/api/canvases/${site.id}/${what}`, body);
  const read = async () => (await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}`)).json;

  for (const [name, body, access, people] of STEPS) {
    it(`PUT sharing with ${name}`, async () => {
      const answer = await set("sharing", body);
      assert.equal(answer.status, 200, answer.text);
      const canvas = whole(answer.json);
      const named = people.map((person) => ({ ...person, name: null }));
      assert.deepEqual([canvas.access, canvas.people], [access, named]);
      assert.equal(canvas.accessMode, access === "private" ? "restricted" : access);
      assert.equal(canvas.audienceSummary.count, people.length);
      assert.deepEqual(await read(), canvas);
    });
  }

  it("a canvas that is made private leaves the gallery, and no other change does that", async () => {
    const listed = { galleryListed: true, galleryTemplatable: true };
    const path = `/api/canvases/${site.id}`;
    await set("sharing", { access: "whole_org" });
    assert.equal((await manage(target, site.people.owner, "PATCH", path, listed)).status, 200);
    for (const [body, kept] of [
      [{ people: [ADA] }, true],
      [{ access: "whole_org" }, true],
      [{ access: "private" }, false],
      [{ access: "whole_org" }, false],
    ] as const) {
      const { galleryListed, galleryTemplatable } = whole((await set("sharing", body)).json);
      assert.deepEqual([galleryListed, galleryTemplatable], [kept, kept], JSON.stringify(body));
    }
  });

  for (const [what, rows] of [
    ["sharing", HOSTILE],
    ["capabilities", SWITCHES],
  ] as const) {
    for (const [name, body] of rows) {
      it(`${what}: ${name}: 400 INVALID_BODY, and nothing changes`, async () => {
        await set("sharing", { people: [ADA] });
        const previous = await read();
        refused(await set(what, body), 400, "INVALID_BODY");
        assert.deepEqual(await read(), previous);
      });
    }
  }

  it("the owner on the list of people: 400", async () => {
    for (const email of [site.people.owner.email, site.people.owner.email.toUpperCase()]) {
      refused(await set("sharing", { people: [{ email, role: "viewer" }] }), 400, "INVALID_BODY");
    }
  });

  it("after concurrent PUTs of lists the list equals one of them", async () => {
    const lists = [crowd(50), [ADA], [ADA, EVE], [], crowd(30)];
    const answers = await Promise.all(lists.map((people) => set("sharing", { people })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      lists.map(() => 200),
    );
    const { people } = whole(await read());
    const saved = JSON.stringify(people.map(({ email, role }) => ({ email, role })));
    assert.ok(lists.some((list) => JSON.stringify(list) === saved));
  });

  it("people who have signed in have their names, and the lists can be sent as they were read", async () => {
    const name = "\u202e<b>\u0641\u0631\u064a\u0642</b>";
    const known = await target.signIn(freshEmail("known"), name);
    const team = await manage(target, site.people.owner, "POST", "/api/teams", { name: "Tea" });
    const people = [ADA, { email: known.email, role: "viewer" }];
    const teams = [{ id: team.json.id, role: "viewer" }];
    const saved = whole((await set("sharing", { people, teams })).json);
    assert.deepEqual(
      saved.people.map(({ name }) => name),
      [null, name],
    );
    const again = await set("sharing", {
      people: saved.people.map((person) => ({ ...person, name: "Somebody else" })),
      teams: saved.teams,
    });
    assert.equal(again.status, 200, again.text);
    assert.deepEqual([again.json.people, again.json.teams], [saved.people, saved.teams]);
    const { json } = await manage(target, known, "GET", `/api/canvases/${site.id}`);
    assert.deepEqual(json.people, [], "a viewer sees nobody");
    await set("sharing", { people: [], teams: [] });
  });

  it("an editor can share and can remove their own role", async () => {
    await set("sharing", { people: [{ email: site.people.editor.email, role: "editor" }, ADA] });
    const still = await set("sharing", { access: "whole_org" }, site.people.editor);
    assert.deepEqual([still.status, still.json.viewerRole], [200, "editor"]);
    const left = await set("sharing", { people: [ADA] }, site.people.editor);
    assert.deepEqual(whole(await read()).people, [{ ...ADA, name: null }]);
    assert.equal(left.status, 200, left.text);
    assert.ok(left.status < 500);
  });

  it("PATCH capabilities changes each switch alone and returns all capabilities", async () => {
    const all = whole(await read()).capabilities;
    for (const [name, value] of Object.entries(all)) {
      const other = typeof value === "boolean" ? !value : value === "editors" ? "viewers" : "editors";
      const answer = await set("capabilities", { [name]: other });
      assert.equal(answer.status, 200, answer.text);
      const expected = { ...all, [name]: other };
      const { capabilities, runtimePolicy, runtimePolicyRevision } = answer.json;
      assert.deepEqual([capabilities, runtimePolicy, runtimePolicyRevision], [expected, null, null]);
      assert.deepEqual(whole(await read()).capabilities, expected);
      await set("capabilities", { [name]: value });
    }
    assert.deepEqual(whole(await read()).capabilities, all);
  });

  it("an empty patch changes no switch", async () => {
    const { capabilities } = whole(await read());
    const answer = await set("capabilities", {});
    assert.deepEqual([answer.status, answer.json.capabilities], [200, capabilities]);
  });

  it("a disabled canvas: 409 DISABLED for both", async () => {
    await env.db.run`update canvases set disabled_at = ${Date.now()} where id = ${site.id}`;
    refused(await set("sharing", { people: [] }), 409, "DISABLED");
    refused(await set("capabilities", { kv: true }), 409, "DISABLED");
  });
});
