import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { RuntimePolicy } from "@easel/protocol/policy";
import { type CanvasRole, PERMISSIONS, type Permission } from "@easel/protocol/types";
import { type Role, type Stage, share, stage, type Terms, turn } from "./fixture.ts";
import { accept, guestOf, invite } from "./guest.ts";
import type { Header } from "./http.ts";
import { call, open } from "./page.ts";
import { collecting, govern } from "./policy.ts";
import { answered, refused } from "./refusal.ts";
import { freshEmail, type Person, type Target } from "./target.ts";
import { makeTeam } from "./team.ts";
import { tokenOf } from "./token.ts";

const ROLES: CanvasRole[] = ["owner", "editor", "viewer"];
const FIELDS = ["avatarUrl", "canvasRole", "email", "id", "kind", "name", "permissions", "resources"];

/**
 * Some permissions, each with the roles that have it. They apply to a canvas whose key-value store is on and whose pages may not publish
 * further canvases.
 */
const GRANTED: Partial<Record<Permission, CanvasRole[]>> = {
  canCreateCanvas: [],
  canEditContent: ["owner", "editor"],
  canManageVersions: ["owner", "editor"],
  canReadSharedData: ["owner", "editor", "viewer"],
  canWriteSharedData: ["owner", "editor"],
  canSavePreferences: ["owner", "editor", "viewer"],
  canManageSubmissions: ["owner", "editor"],
};

/** A policy with collections, file groups and channels. Each of these kinds has a capability switch that turns it off. */
const EVERYTHING: RuntimePolicy = {
  collections: { board: { preset: "collaborative" }, diary: { preset: "personal" } },
  fileGroups: { photos: { preset: "contributions" }, forms: { preset: "submissions" } },
  channels: {
    chat: {
      subscribe: "viewers",
      publish: "viewers",
      seePresence: "viewers",
      participatePresence: "viewers",
    },
  },
};

/**
 * Each row has a capability switch, such as `kv`, and the field of `resources` in `GET /me` that depends on it, such as `collections`.
 * While the switch is off, all rights in this field are false.
 */
const OFF = [
  ["kv", "collections"],
  ["files", "fileGroups"],
  ["realtime", "channels"],
] as const;

/** Headers and query strings with which a caller pretends to be the owner. Each is built from the owner's e-mail address and id. */
const CLAIMS: [name: string, claim: (email: string, id: string) => { headers?: Header[]; query?: string }][] =
  [
    [
      "the body's own fields in the query",
      (email, id) => ({ query: `?id=${id}&email=${email}&canvasRole=owner` }),
    ],
    [
      "a user in the query",
      (_, id) => ({ query: `?userId=${id}&user=${id}&as=${id}&role=owner&isAdmin=true` }),
    ],
    ["X-Forwarded-Email", (email) => ({ headers: [["X-Forwarded-Email", email]] })],
    ["X-Forwarded-User", (email) => ({ headers: [["X-Forwarded-User", email]] })],
    ["X-Auth-Request-User", (email) => ({ headers: [["X-Auth-Request-User", email]] })],
    ["Remote-User", (email) => ({ headers: [["Remote-User", email]] })],
    ["From", (email) => ({ headers: [["From", email]] })],
    ["X-User-Id", (_, id) => ({ headers: [["X-User-Id", id]] })],
    ["X-Canvas-Role", () => ({ headers: [["X-Canvas-Role", "owner"]] })],
    ["an unsigned token", (email) => ({ headers: [["Cf-Access-Jwt-Assertion", unsigned(email)]] })],
  ];
const SESSION_CLAIMS: typeof CLAIMS = [
  ["X-Auth-Request-Email", (email) => ({ headers: [["X-Auth-Request-Email", email]] })],
];

/** Tests specification 4.2: `GET /me`. */
export function identity(target: Target): void {
  if (target.rateLimited) return;
  describe("4.2 identity", () => {
    let whole: Stage;
    before(async () => {
      whole = await stage(target, { access: "whole_org" });
    });

    for (const role of ROLES) {
      it(`GET /me as ${role}: the identity body`, async () => {
        const answer = await whole.pages[role].get("/me");
        assert.equal(answer.status, 200, answer.text);
        assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
        const { json } = answer;
        const person = whole.people[role];
        assert.deepEqual(Object.keys(json).sort(), FIELDS);
        assert.deepEqual(
          { email: json.email, name: json.name, kind: json.kind, canvasRole: json.canvasRole },
          { email: person.email, name: person.name, kind: "member", canvasRole: role },
        );
        assert.match(String(json.id), /^[A-Za-z0-9-]{1,128}$/);
        assert.ok(json.avatarUrl === null || typeof json.avatarUrl === "string");
      });

      it(`permissions of the ${role}: fourteen booleans`, async () => {
        const { json } = await whole.pages[role].get("/me");
        const permissions = json.permissions as Record<string, unknown>;
        assert.deepEqual(Object.keys(permissions).sort(), PERMISSIONS.toSorted());
        for (const name of PERMISSIONS) assert.equal(typeof permissions[name], "boolean", name);
        for (const [name, roles] of Object.entries(GRANTED)) {
          assert.equal(permissions[name], roles.includes(role), name);
        }
      });

      it(`resources of the ${role}: nothing is configured`, async () => {
        const { json } = await whole.pages[role].get("/me");
        const { collections, fileGroups, channels, connections } = json.resources as Record<string, unknown>;
        assert.deepEqual([collections, fileGroups, channels, connections], [{}, {}, {}, {}]);
      });
    }

    for (const [off, kind] of OFF) {
      it(`resources while ${off} is off: no right on any of ${kind}, and all of them back afterwards`, async () => {
        const own = await collecting(target, {}, whole.people);
        await govern(target, own, EVERYTHING);
        const resources = async (role: Role) =>
          (await own.pages[role].get("/me")).json.resources as Record<string, Record<string, object>>;
        for (const role of ROLES) {
          await turn(target, own, { [off]: true });
          const before = await resources(role);
          await turn(target, own, { [off]: false });
          const now = await resources(role);
          for (const [each, entries] of Object.entries(before))
            if (each !== kind) assert.deepEqual(now[each], entries, each);
          assert.deepEqual(Object.keys(now[kind] ?? {}), Object.keys(before[kind] ?? {}));
          assert.match(JSON.stringify(before[kind]), /true/);
          assert.doesNotMatch(JSON.stringify(now[kind]), /true/);
        }
        await turn(target, own, { [off]: true });
        assert.match(JSON.stringify((await resources("viewer"))[kind]), /true/);
      });
    }

    it("a signed-in stranger on Whole org is a viewer", async () => {
      assert.equal((await whole.pages.stranger.get("/me")).json.canvasRole, "viewer");
    });

    it("an id belongs to one person, on every canvas and in every session", async () => {
      const { owner, viewer } = whole.pages;
      const { id } = (await owner.get("/me")).json;
      assert.notEqual((await viewer.get("/me")).json.id, id);
      const again = await target.signIn(whole.people.owner.email, whole.people.owner.name);
      assert.equal((await open(target, whole.slug, again).get("/me")).json.id, id);
      const second = await stage(target, { people: whole.people });
      assert.equal((await second.pages.owner.get("/me")).json.id, id);
    });

    it("a change of the people list changes the role with the next request", async () => {
      const live = await stage(target);
      const roleOf = async (role: Role) => (await live.pages[role].get("/me")).json.canvasRole;
      assert.equal(await roleOf("viewer"), "viewer");
      await share(target, live, "private", { viewer: "editor" });
      assert.equal(await roleOf("viewer"), "editor");
      await share(target, live, "private", {});
      refused(await live.pages.viewer.get("/me"), 404, "OWNER_ONLY");
    });

    it("a guest: the identity body of their invitation", async () => {
      const guest = await guestOf(target, whole);
      const { json } = await open(target, whole.slug, guest).get("/me");
      assert.deepEqual(Object.keys(json).sort(), FIELDS);
      assert.deepEqual(
        { id: json.id, email: json.email, name: json.name, kind: json.kind, canvasRole: json.canvasRole },
        {
          id: `guest:${guest.invite.id}`,
          email: guest.email,
          name: guest.name,
          kind: "guest",
          canvasRole: "viewer",
        },
      );
      assert.equal(json.avatarUrl, null);
      assert.deepEqual(json.resources, {
        collections: {},
        fileGroups: {},
        channels: {},
        connections: {},
        models: [],
      });
    });

    it("permissions of a guest: a viewer's, without canCreateCanvas", async () => {
      await turn(target, whole, { authoring: true });
      const guest = await guestOf(target, whole);
      const { json } = await open(target, whole.slug, guest).get("/me");
      await turn(target, whole, { authoring: false });
      const permissions = json.permissions as Record<string, unknown>;
      assert.deepEqual(Object.keys(permissions).sort(), PERMISSIONS.toSorted());
      for (const name of PERMISSIONS) assert.equal(typeof permissions[name], "boolean", name);
      for (const [name, roles] of Object.entries(GRANTED)) {
        assert.equal(permissions[name], roles.includes("viewer"), name);
      }
    });

    it("a guest has a user scope of their own, the same in every session of the invitation", async () => {
      const invited = await invite(target, whole);
      const [first, second] = [await accept(target, invited), await accept(target, invited)];
      const other = await guestOf(target, whole);
      const path = "/kv/user/of-the-guest";
      assert.equal((await open(target, whole.slug, first).put(path, 1)).status, 200);
      answered(await open(target, whole.slug, second).get(path), { value: 1 });
      refused(await open(target, whole.slug, other).get(path), 404, "NOT_FOUND");
      refused(await whole.pages.owner.get(path), 404, "NOT_FOUND");
    });

    it("a team gives its members its role; of several roles the strongest counts", async () => {
      const canvas = await stage(target);
      const { owner, viewer, stranger } = canvas.people;
      const team = async (members: Person[]) => (await makeTeam(target, owner, members)).id;
      const [editors, viewers] = [await team([viewer, stranger]), await team([stranger])];
      const roleOf = async (role: Role) => (await canvas.pages[role].get("/me")).json.canvasRole;
      const give = (teams: Terms["teams"] = []) =>
        share(target, canvas, "private", { viewer: "viewer" }, { teams });
      await give([{ id: viewers, role: "viewer" }]);
      assert.equal(await roleOf("stranger"), "viewer");
      await give([
        { id: editors, role: "editor" },
        { id: viewers, role: "viewer" },
      ]);
      assert.deepEqual([await roleOf("viewer"), await roleOf("stranger")], ["editor", "editor"]);
      await give([{ id: editors, role: "viewer" }]);
      assert.deepEqual([await roleOf("viewer"), await roleOf("stranger")], ["viewer", "viewer"]);
      await give();
      assert.equal(await roleOf("viewer"), "viewer");
      refused(await canvas.pages.stranger.get("/me"), 404, "OWNER_ONLY");
    });

    it("an owner in a team is still the owner", async () => {
      const canvas = await stage(target);
      const { owner } = canvas.people;
      const teams = [{ id: (await makeTeam(target, owner, [owner])).id, role: "viewer" } as const];
      await share(target, canvas, "private", {}, { teams });
      assert.equal((await canvas.pages.owner.get("/me")).json.canvasRole, "owner");
    });

    it("a token identifies its person, on every canvas", async () => {
      for (const role of ROLES) {
        const token = await tokenOf(target, whole.people[role]);
        const [own, byToken] = [
          await whole.pages[role].get("/me"),
          await open(target, whole.slug, token).get("/me"),
        ];
        assert.deepEqual(byToken.json, own.json);
      }
    });

    it("an administrator's body has the same fields as everyone's", async () => {
      const admin = await target.signIn(target.admin);
      const { json } = await open(target, whole.slug, admin).get("/me");
      assert.deepEqual(Object.keys(json).sort(), FIELDS);
      assert.equal(json.canvasRole, "viewer");
    });

    // In oidc mode a person's name comes from the identity provider.
    if (target.authMode !== "oidc") {
      it("a name in any script comes back as it is", async () => {
        const name = 'Zoë 👩‍🚀 "O\'Neil" <b>';
        const person = await target.signIn(freshEmail("script"), name);
        assert.equal((await open(target, whole.slug, person).get("/me")).json.name, name);
      });
    }

    for (const [name, claim] of target.authMode === "proxy" ? CLAIMS : [...CLAIMS, ...SESSION_CLAIMS]) {
      it(`${name} does not make a viewer the owner`, async () => {
        const { people, pages, slug } = whole;
        const owner = (await pages.owner.get("/me")).json;
        const { headers = [], query = "" } = claim(people.owner.email, String(owner.id));
        const answer = await call(target, slug, people.viewer, "GET", `/me${query}`, headers);
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.json.email, people.viewer.email);
        assert.equal(answer.json.canvasRole, "viewer");
        const own = "/kv/user/claim";
        assert.equal((await pages.owner.put(own, "the owner's")).status, 200);
        refused(await call(target, slug, people.viewer, "GET", `${own}${query}`, headers), 404, "NOT_FOUND");
      });
    }
  });
}

/** Returns an unsigned JSON Web Token with this e-mail address. */
function unsigned(email: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none", typ: "JWT" })}.${part({ email, sub: email })}.`;
}
