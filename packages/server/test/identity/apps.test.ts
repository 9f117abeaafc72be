import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { LIMITS } from "@easel/protocol/limits";
import type { AppInfo } from "@easel/protocol/management";
import { purgeCanvases } from "../../src/canvases/deletion.ts";
import { sweep } from "../../src/canvases/sweep.ts";
import { FORM, post } from "../support/client.ts";
import { type ConnectedTool, connectTool, toolOf } from "../support/connected-tool.ts";
import { onEngines } from "../support/engines.ts";
import { DAY_MS } from "../support/time.ts";

await onEngines("connected tools", (target, env) => {
  const { base } = target;
  let admin: Person;
  before(async () => {
    admin = await target.signIn(target.admin);
  });

  const newcomer = () => target.signIn(freshEmail("tools"));
  const connect = (person: Person, allowed = {}) => connectTool(base, person, allowed, env);
  const list = async (person: Person) =>
    (await manage(target, person, "GET", "/api/apps")).json.apps as unknown as AppInfo[];
  const idsOf = async (person: Person) => (await list(person)).map(({ id }) => id);
  const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);
  const statusOf = async (tool: ConnectedTool) => (await tool.request("tools/list")).status;
  const done = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer;
    assert.ok(status < 300, text);
  };
  const create = async (person: Person, more = {}) => {
    const body = { name: "A tool", audience: "mcp", ...more };
    const answer = await manage(target, person, "POST", "/api/tokens", body);
    assert.equal(answer.status, 201, answer.text);
    return toolOf(base, answer.json as { id: string; token: string });
  };

  it("are listed with what they may do, newest first, each to their person", async () => {
    const site = await stage(target);
    const { owner, viewer } = site.people;
    const from = env.clock();
    const first = await connect(owner, { scope: "deploy", ownOnly: true });
    const second = await connect(owner, { scope: "read", canvasId: site.id, confirms: false });
    await connect(viewer);
    const apps = await list(owner);
    assert.deepEqual(
      apps.map(({ id }) => id),
      [second.id, first.id],
    );
    const [{ createdAt, ...rest }] = apps as [AppInfo];
    assert.ok(createdAt >= from);
    const { title } = (await manage(target, owner, "GET", `/api/canvases/${site.id}`)).json;
    assert.deepEqual(rest, {
      id: second.id,
      client: { name: "Test tool", host: null, verified: true },
      redirectHost: null,
      isToken: false,
      scope: "read",
      canvas: { id: site.id, title, slug: site.slug },
      ownOnly: false,
      confirms: false,
      usedAt: null,
      expiresAt: null,
    });
    const { scope, canvas, ownOnly, confirms } = apps[1] as AppInfo;
    assert.deepEqual([scope, canvas, ownOnly, confirms], ["deploy", null, true, true]);
  });

  it("are listed in pages", async () => {
    const person = await newcomer();
    for (let n = 0; n < 3; n++) await connect(person);
    const ids = await idsOf(person);
    const first = await manage(target, person, "GET", "/api/apps?limit=2");
    const second = await manage(target, person, "GET", `/api/apps?limit=2&cursor=${first.json.nextCursor}`);
    const paged = [first, second].flatMap(({ json }) =>
      (json.apps as unknown as AppInfo[]).map(({ id }) => id),
    );
    assert.deepEqual(paged, ids);
    assert.equal(first.json.url, `${base}/mcp`);
    assert.equal(second.json.nextCursor, null);
  });

  it("have no title of a canvas on which the person has no role any more", async () => {
    const site = await stage(target);
    const { owner, editor } = site.people;
    const tool = await connect(editor, { canvasId: site.id });
    await tool.use("get_canvas", { canvas: site.id });
    await done(manage(target, owner, "PUT", `/api/canvases/${site.id}/sharing`, { people: [] }));
    assert.deepEqual((await list(editor))[0]?.canvas, { id: site.id, title: null, slug: null });
    const { isError, content } = await tool.call("get_canvas", { canvas: site.id });
    assert.equal(isError, true);
    assert.match(content[0]?.text ?? "", /^NOT_FOUND: /);
  });

  it("are not listed, nor of any use, once they have expired, and are removed", async () => {
    const person = await newcomer();
    const tool = await connect(person);
    assert.equal(await statusOf(tool), 200);
    await env.db.run`update apps set expires_at = ${env.clock()} where id = ${tool.id}`;
    assert.deepEqual(await list(person), []);
    assert.equal(await statusOf(tool), 401);
    await sweep(env);
    const left = await env.db
      .all`select id from apps where id = ${tool.id} union select id from tokens where app_id = ${tool.id}`;
    assert.deepEqual(left, []);
  });

  it("can be listed and ended by a session only", async () => {
    const person = await newcomer();
    const { id } = await connect(person);
    const program = await tokenOf(target, person);
    refused(await manage(target, program, "GET", "/api/apps"), 403, "PERMISSION_DENIED");
    refused(await manage(target, program, "DELETE", `/api/apps/${id}`), 403, "PERMISSION_DENIED");
    assert.deepEqual(await idsOf(person), [id]);
  });

  it("can be ended by their person only", async () => {
    const [person, other] = [await newcomer(), await newcomer()];
    const tool = await connect(person);
    for (const id of [tool.id, "none", "%00"])
      refused(await manage(target, other, "DELETE", `/api/apps/${id}`), 404, "NOT_FOUND");
    assert.equal(await statusOf(tool), 200);
    assert.equal((await manage(target, person, "DELETE", `/api/apps/${tool.id}`)).status, 204);
    assert.equal(await statusOf(tool), 401);
    refused(await manage(target, person, "DELETE", `/api/apps/${tool.id}`), 404, "NOT_FOUND");
  });

  it("are no access tokens to the acts of these", async () => {
    const person = await newcomer();
    const tool = await connect(person);
    assert.deepEqual((await manage(target, person, "GET", "/api/tokens")).json.tokens, []);
    const row = await env.db.get<{ id: string }>`select id from tokens where app_id = ${tool.id}`;
    refused(await manage(target, person, "DELETE", `/api/tokens/${row?.id}`), 404, "NOT_FOUND");
    assert.equal(await statusOf(tool), 200);
  });

  /** What ends the tools of a person. */
  const ENDINGS: [what: string, end: (person: Person, tool: ConnectedTool, site: Stage) => Promise<void>][] =
    [
      ["the person", (person, { id }) => done(manage(target, person, "DELETE", `/api/apps/${id}`))],
      [
        "an administrator",
        async (person) =>
          done(manage(target, admin, "DELETE", `/api/admin/users/${await idOf(person)}/apps`)),
      ],
      [
        "an administrator, by its id",
        async (person, { id }) =>
          done(manage(target, admin, "DELETE", `/api/admin/users/${await idOf(person)}/apps?app=${id}`)),
      ],
      [
        "an administrator, for everybody",
        (_, { id }) => done(manage(target, admin, "POST", "/api/admin/apps/end", { client: `client-${id}` })),
      ],
      [
        "the deactivation of the person",
        async (person) => {
          const path = `/api/admin/users/${await idOf(person)}`;
          await done(manage(target, admin, "PATCH", path, { deactivated: true }));
          await done(manage(target, admin, "PATCH", path, { deactivated: false }));
        },
      ],
      [
        "a sign-out of the person with their programs",
        async (person) =>
          done(manage(target, admin, "POST", `/api/admin/users/${await idOf(person)}/sign-out`)),
      ],
      [
        "the handover of what the person has",
        async (person) => {
          const body = { to: target.admin, teams: true, deactivate: true };
          const path = `/api/admin/users/${await idOf(person)}`;
          await done(manage(target, admin, "POST", `${path}/handover`, body));
          await done(manage(target, admin, "PATCH", path, { deactivated: false }));
        },
      ],
      [
        "the removal of its only canvas",
        async (person, _, { id }) => {
          await done(manage(target, person, "DELETE", `/api/canvases/${id}`));
          await env.db.run`update canvases set deleted_at = 0 where id = ${id}`;
          await purgeCanvases(env);
        },
      ],
    ];
  for (const [what, end] of ENDINGS)
    it(`are ended by ${what}, with all that renews them`, async () => {
      const site = await stage(target);
      const person = site.people.owner;
      const tool = await connect(person, { canvasId: site.id });
      const made = await create(person, { canvasId: site.id });
      await env.db.run`update apps set client_id = ${`client-${tool.id}`} where id = ${tool.id}`;
      await env.db.run`insert into app_refresh_tokens (secret_hash, app_id, created_at, expires_at)
        values (${tool.id}, ${tool.id}, 0, ${env.clock() + DAY_MS})`;
      assert.deepEqual([await statusOf(tool), await statusOf(made)], [200, 200]);
      const endsOne = what === "the person" || what.includes(",");
      await end(person, tool, site);
      assert.deepEqual([await statusOf(tool), await statusOf(made)], [401, endsOne ? 200 : 401]);
      const left = await env.db.all`select id from apps where id = ${tool.id}
        union select id from tokens where app_id = ${tool.id}
        union select app_id from app_refresh_tokens where app_id = ${tool.id}`;
      assert.deepEqual(left, []);
    });

  it("go on when their person signs out of other sessions, or an administrator leaves programs alone", async () => {
    const person = await newcomer();
    const tool = await connect(person);
    await done(manage(target, person, "DELETE", "/api/sessions"));
    const path = `/api/admin/users/${await idOf(person)}/sign-out`;
    await done(manage(target, admin, "POST", path, { tokens: false }));
    assert.equal(await statusOf(tool), 200);
  });

  it("keep in mind which canvases they have made", async () => {
    const person = await newcomer();
    const tool = await connect(person, { ownOnly: true, clientId: "maker" });
    const { id } = (await manage(target, person, "POST", "/api/canvases", { title: "Made" })).json;
    await env.db.run`insert into made_canvases (canvas_id, user_id, client_id)
      values (${String(id)}, ${await idOf(person)}, ${"maker"})`;
    await tool.use("get_canvas", { canvas: id });
    await done(manage(target, person, "DELETE", `/api/apps/${tool.id}`));
    const again = await connect(person, { ownOnly: true, clientId: "maker" });
    await again.use("get_canvas", { canvas: id });
  });

  it("can be access tokens that the person creates, which only /mcp accepts", async () => {
    const person = await newcomer();
    const expiresAt = env.clock() + DAY_MS;
    const tool = await create(person, { name: "Editor", scope: "deploy", expiresAt });
    assert.match(tool.token, /^easel_mcp_[\w-]{43}$/);
    assert.equal(await statusOf(tool), 200);
    const program = { ...person, headers: [["Authorization", `Bearer ${tool.token}`]] as [string, string][] };
    const refusal = await manage(target, program, "GET", "/api/me");
    assert.equal(refusal.status, 401);
    assert.match(
      String(refusal.headers["www-authenticate"]),
      /"The access token is for the tools of \/mcp, and not/,
    );
    await env.db.run`update tokens set expires_at = ${env.clock() - 1} where app_id = ${tool.id}`;
    const late = await manage(target, program, "GET", "/api/me");
    assert.match(String(late.headers["www-authenticate"]), /"The access token has expired\."/);
    const [app] = await list(person);
    const { id, client, isToken, scope, ownOnly, confirms } = app as AppInfo;
    assert.deepEqual(
      { id, client, isToken, scope, ownOnly, confirms, expiresAt: app?.expiresAt },
      {
        id: tool.id,
        client: { name: "Editor", host: null, verified: false },
        isToken: true,
        scope: "deploy",
        ownOnly: false,
        confirms: true,
        expiresAt,
      },
    );
    const limited = await create(person, { ownOnly: true, confirms: false });
    const chosen = (await list(person)).find(({ id }) => id === limited.id);
    assert.deepEqual([chosen?.scope, chosen?.ownOnly, chosen?.confirms], ["full", true, false]);
    assert.deepEqual((await manage(target, person, "GET", "/api/tokens")).json.tokens, []);
  });

  it("created as access tokens expire with them", async () => {
    const person = await newcomer();
    const tool = await create(person, { expiresAt: env.clock() + DAY_MS });
    await env.db.run`update tokens set expires_at = ${env.clock() - 1} where app_id = ${tool.id}`;
    assert.equal(await statusOf(tool), 401);
  });

  it("that consist of an access token end when a program revokes it", async () => {
    const person = await newcomer();
    const [tool, other] = [await create(person), await create(person)];
    const answer = await post(base, "/oauth/revoke", [FORM], `client_id=easel-cli&token=${tool.token}`);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([await statusOf(tool), await statusOf(other)], [401, 200]);
    assert.deepEqual(await idsOf(person), [other.id]);
  });

  it("are created for a canvas of the person only, and with choices of their own only", async () => {
    const site = await stage(target);
    const { viewer, stranger } = site.people;
    const post = (person: Person, body: object) =>
      manage(target, person, "POST", "/api/tokens", { name: "A tool", ...body });
    const bound = { audience: "mcp", canvasId: site.id };
    refused(await post(stranger, bound), 404, "NOT_FOUND");
    assert.equal((await post(viewer, bound)).status, 201);
    for (const body of [
      { audience: "mpc" },
      { ownOnly: true },
      { confirms: false },
      { audience: "api", confirms: true },
    ])
      refused(await post(viewer, body), 400, "INVALID_BODY");
    assert.deepEqual(await list(stranger), []);
  });

  it("are limited for each person, whoever creates them at once, and expired ones do not count", async () => {
    const person = await newcomer();
    const other = await create(await newcomer());
    const limit = LIMITS.appsPerPerson.value;
    await connect(person);
    for (let n = 1; n < limit - 1; n++)
      await env.db.run`
        insert into apps (id, user_id, client_id, client_name, verified, scope, own_only, confirms, created_at, expires_at)
        select ${`${other.id}-${n}`}, ${await idOf(person)}, client_id, client_name, verified, scope, own_only, confirms, created_at,
          cast(${n === 1 ? env.clock() : null} as bigint) from apps where id = ${other.id}`;
    const body = { name: "One more", audience: "mcp" };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => manage(target, person, "POST", "/api/tokens", body)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 409, 409]);
    for (const answer of answers.filter(({ status }) => status === 409)) refused(answer, 409, "KEY_LIMIT");
    assert.equal((await list(person)).length, limit);
    await create(await newcomer());
  });
});
