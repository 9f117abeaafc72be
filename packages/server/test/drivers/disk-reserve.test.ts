import assert from "node:assert/strict";
import { statfs } from "node:fs/promises";
import path from "node:path";
import { before, describe, it, test } from "node:test";
import { upload as uploadFile } from "@easel/conformance/files/form";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { type Answer, send } from "@easel/conformance/http";
import { open, type Page } from "@easel/conformance/page";
import { until } from "@easel/conformance/patience";
import { govern } from "@easel/conformance/policy";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person, type Target } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import type { RuntimePolicy } from "@easel/protocol/policy";
import { isFull } from "../../src/disk/disk-space.ts";
import { sqlite } from "../../src/drivers/db/sqlite.ts";
import type { Env } from "../../src/env.ts";
import { ACTS } from "../../src/management/acts.ts";
import { startNode } from "../primitives/realtime/realtime-node.ts";
import { startDev } from "../support/engines.ts";
import { publish, upload, visit } from "../support/publish.ts";
import { atEnd, fileScope, type Scope } from "../support/service.ts";
import { smallDisk } from "../support/small-disk.ts";
import { stager } from "../support/staged.ts";
import { zip } from "../support/zip.ts";

const MIB = 1024 * 1024;

/** The body of a request for a token for AI tools. */
const FOR_TOOLS = { name: "A tool", audience: "mcp" };

const POLICY: RuntimePolicy = { collections: { board: { preset: "contributions" } } };

/** Starts a node on the SQLite database of a service. On the disk of this node's database, less than the reserve is free. */
async function startBelow(scope: Scope, env: Env): Promise<Target> {
  const file = env.config.databaseUrl.slice("sqlite:".length);
  const db = sqlite(file, assert.ifError, { reserve: Number.MAX_SAFE_INTEGER });
  atEnd(scope, () => db.close());
  const log = { ...env.log, error() {} } as unknown as Env["log"];
  return (await startNode(scope, env, { db, log })).target;
}

describe("while less than the reserve is free on the disk of the database", () => {
  const scope = fileScope();
  let target: Target;
  let below: Target;
  let site: Stage;
  let page: Page;
  let admin: Person;
  before(async () => {
    const service = await startDev(scope);
    target = service.target;
    below = await startBelow(scope, service.env);
    site = await stage(target, { switches: { kv: true, files: true } });
    page = open(below, site.slug, site.people.owner);
    admin = await target.signIn(target.admin);
    await govern(target, site, POLICY);
    await publish(target, site, { "index.html": "old" });
    await publish(target, site, { "index.html": "new" });
    assert.equal((await site.pages.owner.put("/kv/old", 1)).status, 200);
  });

  const own = (at: Target, method: string, path: string, body?: object) =>
    manage(at, site.people.owner, method, `/api${path}`, body);
  const canvas = (at: Target, method: string, path: string, body?: object) =>
    own(at, method, `/canvases/${site.id}${path}`, body);
  const administer = (at: Target, method: string, path: string, body?: object) =>
    manage(at, admin, method, `/api/admin${path}`, body);
  const idOf = async (answer: Promise<Answer>) => String((await answer).json.id);
  const staging = (at: Target) => stager(at, site.people.owner, site.id);
  const made = (path: string, body: object) => idOf(own(target, "POST", path, body));

  const REFUSED: Record<string, () => Promise<Answer>> = {
    "a new key": () => page.put("/kv/new", 1),
    "a new value": () => page.put("/kv/old", 2),
    "an increment": () => page.post("/kv/old/increment", {}),
    "a submission": () => page.put("/submissions/form/mine", { a: 1 }),
    "a record": () => page.post("/collections/board", { a: 1 }),
    "a file": () => uploadFile(page, {}, { bytes: "new" }),
    "a deploy": async () => upload(below, site.people.owner, site.id, await zip({ "index.html": "x" })),
    "a staged deploy": () => staging(below).begin({ "index.html": "staged" }),
    "a canvas": () => own(below, "POST", "/canvases", { title: "New" }),
    "a team": () => own(below, "POST", "/teams", { name: "New", members: [] }),
    "a token": () => own(below, "POST", "/tokens", { name: "New" }),
    "an invitation": () => canvas(below, "POST", "/invites", { email: "guest@example.com" }),
    "metadata of the canvas": () => canvas(below, "PATCH", "", { metadata: { note: "new" } }),
    "a capability": () => canvas(below, "PATCH", "/capabilities", { realtime: true }),
  };
  for (const [what, request] of Object.entries(REFUSED))
    it(`${what} is refused`, async () => refused(await request(), 507, "INSUFFICIENT_STORAGE"));

  it("reads, sign-in and sessions go on", async () => {
    assert.deepEqual((await page.get("/kv/old")).json, { value: 1 });
    assert.equal((await visit(below, site.slug, site.people.owner)).text, "new");
    for (const email of [site.people.viewer.email, "new@example.com"]) {
      const { headers } = await below.signIn(email);
      const me = () => send(below.base, { method: "GET", path: "/api/me", headers });
      assert.equal((await me()).status, 200);
      assert.equal((await send(below.base, { method: "POST", path: "/auth/logout", headers })).status, 204);
      assert.equal((await me()).status, 401);
    }
    assert.equal((await send(below.base, { method: "GET", path: "/readyz" })).status, 200);
  });

  /** Signs somebody in who owns nothing. Returns their id. */
  const somebody = async () => {
    const person = await target.signIn(freshEmail("leaver"));
    return String((await manage(target, person, "GET", "/api/me")).json.id);
  };

  /** A request for each act that deletes something. */
  const DELETIONS: Record<string, () => Promise<Answer>> = {
    "session.revoke": async () => {
      await target.signIn(site.people.owner.email);
      const { sessions } = (await own(target, "GET", "/sessions")).json as {
        sessions: { id: string; current: boolean }[];
      };
      return own(below, "DELETE", `/sessions/${sessions.find(({ current }) => !current)?.id}`);
    },
    "session.revoke-others": async () => {
      await target.signIn(site.people.owner.email);
      return own(below, "DELETE", "/sessions");
    },
    "token.delete": async () =>
      own(below, "DELETE", `/tokens/${(await tokenOf(target, site.people.owner)).id}`),
    "app.revoke": async () => own(below, "DELETE", `/apps/${await made("/tokens", FOR_TOOLS)}`),
    "user.end-apps": async () => {
      await made("/tokens", FOR_TOOLS);
      const { id } = (await own(target, "GET", "/me")).json;
      return administer(below, "DELETE", `/users/${id}/apps`);
    },
    "team.delete": async () =>
      own(below, "DELETE", `/teams/${await made("/teams", { name: "Old", members: [] })}`),
    "team.leave": async () => {
      const { owner, viewer } = site.people;
      const team = { name: "Left", members: [owner.email] };
      return own(
        below,
        "DELETE",
        `/teams/${await idOf(manage(target, viewer, "POST", "/api/teams", team))}/membership`,
      );
    },
    "canvas.delete": async () =>
      own(below, "DELETE", `/canvases/${await made("/canvases", { title: "Old" })}`),
    "canvas.purge-own": async () => {
      const id = await made("/canvases", { title: "Old" });
      await own(target, "DELETE", `/canvases/${id}`);
      return own(below, "DELETE", `/canvases/${id}/trash`);
    },
    "canvas.delete-version": async () => {
      const { versions } = (await canvas(target, "GET", "/versions")).json as { versions: { id: string }[] };
      return canvas(below, "DELETE", `/versions/${versions[1]?.id}`);
    },
    "canvas.stage-cancel": async () =>
      staging(below).cancel(await idOf(staging(target).begin({ "index.html": "staged" }))),
    "canvas.uninvite": async () => {
      const invited = canvas(target, "POST", "/invites", { email: "guest@example.com" });
      return canvas(below, "DELETE", `/invites/${await idOf(invited)}`);
    },
    "org.delete": async () => {
      await administer(target, "PUT", "/orgs/acme", { name: "Acme", domains: ["acme.example"] });
      return administer(below, "DELETE", "/orgs/acme");
    },
    "connection.revoke": async () => {
      const weather = { origin: "https://weather.example", methods: ["GET"], enabled: true };
      await administer(target, "PUT", "/connections/weather", weather);
      await administer(target, "PUT", `/connections/weather/grants/${site.id}`, {});
      return administer(below, "DELETE", `/connections/weather/grants/${site.id}`);
    },
    "connection.delete": () => administer(below, "DELETE", "/connections/weather"),
    "user.end-sessions": async () => administer(below, "DELETE", `/users/${await somebody()}/sessions`),
    "user.end-guests": async () => administer(below, "DELETE", `/users/${await somebody()}/guests`),
    "user.unlink": async () => administer(below, "DELETE", `/users/${await somebody()}/identities`),
    "user.erase": async () => administer(below, "DELETE", `/users/${await somebody()}`),
  };
  it("every act that deletes something is tested", () => {
    const acts = ACTS.filter(({ method }) => method === "DELETE").map(({ name }) => name);
    assert.deepEqual([...Object.keys(DELETIONS), "session.end-all"].toSorted(), acts.toSorted());
  });
  const ENDINGS: Record<string, () => Promise<Answer>> = {
    ...DELETIONS,
    "canvas.unpublish": () => canvas(below, "POST", "/unpublish"),
    "settings.update": () =>
      administer(below, "PATCH", "/settings", { quotas: { "kv.keys.shared": 10_000 } }),
    "canvas.disable": () => administer(below, "POST", `/canvases/${site.id}/disable`, {}),
    "session.end-all": () => administer(below, "DELETE", "/sessions"),
  };
  for (const [act, request] of Object.entries(ENDINGS)) {
    it(`${act} succeeds`, async () => {
      const answer = await request();
      assert.ok(answer.status < 300, answer.text);
    });
  }

  it("a deactivated user is signed out", async () => {
    const person = await target.signIn("filler@example.com");
    const id = String((await manage(target, person, "GET", "/api/me")).json.id);
    const answer = await administer(below, "PATCH", `/users/${id}`, { deactivated: true });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await manage(below, person, "GET", "/api/me")).status, 401);
  });
});

test("data of a canvas is deleted while less than the reserve is free", async (t) => {
  const { target, env } = await startDev(t);
  const below = await startBelow(t, env);
  const site = await stage(target, { switches: { kv: true, files: true } });
  const { owner } = site.pages;
  const page = open(below, site.slug, site.people.owner);
  const record = async () => String((await owner.post("/collections/board", { a: 1 })).json.id);
  await govern(target, site, POLICY);
  const DELETED: Record<string, () => Promise<string>> = {
    "a key": async () => {
      await owner.put("/kv/old", 1);
      return "/kv/old";
    },
    "a submission": async () => {
      await owner.put("/submissions/form/mine", 1);
      return "/submissions/form/mine";
    },
    "all submissions": async () => {
      await owner.put("/submissions/form/mine", 1);
      return "/submissions/form";
    },
    "a record": async () => `/collections/board/${await record()}`,
    "a record with a file": async () => {
      const id = await record();
      const attached = await uploadFile(owner, { collection: "board", recordId: id });
      assert.equal(attached.status, 201, attached.text);
      return `/collections/board/${id}`;
    },
    "all records": async () => {
      await record();
      return "/collections/board";
    },
    "a file": async () => `/files/${(await uploadFile(owner, {})).json.id}`,
  };
  for (const [what, make] of Object.entries(DELETED)) {
    const answer = await page.delete(await make());
    assert.ok(answer.status < 300, `${what}: ${answer.status} ${answer.text}`);
  }
  assert.deepEqual(await env.db.all`select id from files`, []);
});

test("free pages inside of the database file count as free space", async (t) => {
  const directory = await smallDisk(t, 48 * MIB);
  if (directory === null) return t.skip("mounting a file system needs rights that this user has not");
  const file = path.join(directory, "free-pages.db");
  const filled = sqlite(file, assert.ifError);
  await filled.run`create table large (bytes blob)`;
  for (let n = 0; n < 8; n++) await filled.run`insert into large values (${Buffer.alloc(MIB)})`;
  await filled.run`delete from large`;
  await filled.close();
  const { bavail, bsize } = await statfs(directory);
  for (const [missing, fits] of [
    [4 * MIB, true],
    [12 * MIB, false],
  ] as const) {
    const db = sqlite(file, assert.ifError, { reserve: bavail * bsize + missing });
    atEnd(t, () => db.close());
    const written = db.run`insert into large values (${Buffer.of(1)})`;
    if (fits) assert.equal(await written, 1);
    else await assert.rejects(written, isFull);
  }
});

test("a member who fills the disk stops nobody, and there is room again after a deletion", async (t) => {
  const directory = await smallDisk(t, 48 * MIB);
  if (directory === null) return t.skip("mounting a file system needs rights that this user has not");
  const { target } = await startDev(t, { SERVICE_DATA_DIR: directory, SERVICE_LOG_LEVEL: "silent" });
  const site = await stage(target);
  await govern(target, site, POLICY);
  const { owner, viewer } = site.pages;
  const large = "x".repeat(60_000);
  const WAYS: ((n: number) => Promise<Answer>)[] = [
    (n) => owner.put(`/kv/key${n}`, large),
    (n) => owner.put(`/submissions/form${n}/mine`, large),
    (n) => owner.post("/collections/board", `${n}${large}`),
  ];
  for (const way of WAYS) {
    let answer: Answer;
    let written = -1;
    do {
      answer = await way(++written);
      assert.ok(written < 1_000, "the disk does not fill up");
    } while (answer.status < 300);
    refused(answer, 507, "INSUFFICIENT_STORAGE");
  }
  const { bavail, bsize } = await statfs(directory);
  assert.ok(bavail * bsize > MIB, `only ${bavail * bsize} bytes are free`);
  const other = await target.signIn("somebody@example.com");
  assert.equal((await manage(target, other, "GET", "/api/me")).status, 200);

  for (let n = 0; n < 100; n++) assert.equal((await owner.delete(`/kv/key${n}`)).status, 200, `key${n}`);
  // The write-ahead log is emptied within about a second.
  const put = async (key: string) => (await viewer.put(`/kv/user/${key}`, large)).status === 200;
  for (let n = 0; n < 20; n++) await until(`room for key${n}`, () => put(`key${n}`));
  assert.equal((await manage(target, other, "POST", "/api/canvases", { title: "New" })).status, 201);
});
