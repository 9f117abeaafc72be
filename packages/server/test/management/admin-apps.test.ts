import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import type { AdminUserDetails, ClientList } from "@easel/protocol/management";
import { codeOf, newAppAttempt, redeemAs, register } from "../sign-in/oauth-app.ts";
import { connectTool } from "../support/connected-tool.ts";
import { onEngines } from "../support/engines.ts";

await onEngines("connected tools in the administration", (target, env) => {
  const { base } = target;
  let admin: Person;
  before(async () => {
    admin = await target.signIn(target.admin);
  });

  const newcomer = () => target.signIn(freshEmail("connected"));
  const connect = (person: Person, clientId: string) => connectTool(base, person, { clientId }, env);
  const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);
  const list = async (query = "") => {
    const { status, text, json } = await manage(target, admin, "GET", `/api/admin/apps?${query}`);
    assert.equal(status, 200, text);
    return json as unknown as ClientList;
  };
  const end = (client: string, who = admin) => manage(target, who, "POST", "/api/admin/apps/end", { client });

  it("are listed by program, with people, connections and last use; expired ones are left out", async () => {
    const [one, two] = [await newcomer(), await newcomer()];
    const client = "https://program.test/client.json";
    const tools = [await connect(one, client), await connect(one, client), await connect(two, client)];
    const expired = await connect(two, "https://expired.test/");
    await env.db.run`update apps set expires_at = ${env.clock()} where id = ${expired.id}`;
    await env.db
      .run`update apps set client_name = ${"Program"}, client_host = ${"program.test"} where client_id = ${client}`;
    await env.db.run`update apps set verified = 0, used_at = 5 where id = ${tools[1]?.id ?? ""}`;
    const { clients } = await list();
    assert.deepEqual(
      clients.find(({ id }) => id === client),
      { id: client, name: "Program", host: "program.test", verified: false, people: 2, tools: 3, usedAt: 5 },
    );
    assert.equal(
      clients.some(({ id }) => id === "https://expired.test/"),
      false,
    );
  });

  it("that consist of tokens are counted together", async () => {
    const before = (await list()).tokens;
    const person = await newcomer();
    for (const name of ["One", "Two"])
      await manage(target, person, "POST", "/api/tokens", { name, audience: "mcp" });
    const { tokens, clients } = await list();
    assert.deepEqual(tokens, { people: before.people + 1, tools: before.tools + 2, usedAt: before.usedAt });
    assert.equal(
      clients.some(({ name }) => ["One", "Two"].includes(name)),
      false,
    );
  });

  it("are listed in pages, each program once, also if its id has any characters", async () => {
    const person = await newcomer();
    const ids = ["page b", "page a/?&=%", "page 'or 1=1", "page é"];
    for (const id of ids) await connect(person, id);
    const paged: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await list(String(new URLSearchParams({ limit: "1", ...(cursor !== "" && { cursor }) })));
      paged.push(...page.clients.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    assert.equal(new Set(paged).size, paged.length);
    assert.deepEqual(paged.filter((id) => id.startsWith("page ")).toSorted(), ids.toSorted());
  });

  it("of one program end for everyone, however many there are, and the others go on", async () => {
    const people = [await newcomer(), await newcomer()];
    const tools = await Promise.all(people.map((person) => connect(person, "ended")));
    const kept = await connect(people[0] as Person, "kept");
    for (let n = 0; n < 600; n++)
      await env.db.run`
        insert into apps (id, user_id, client_id, client_name, verified, scope, own_only, confirms, created_at)
        select ${`${kept.id}-${n}`}, user_id, ${"ended"}, client_name, verified, scope, own_only, confirms, created_at
        from apps where id = ${kept.id}`;
    const answer = await end("ended");
    assert.deepEqual([answer.status, answer.json], [200, { ended: 602 }], answer.text);
    const statuses = [...tools, kept].map(async (tool) => (await tool.request("tools/list")).status);
    assert.deepEqual(await Promise.all(statuses), [401, 401, 200]);
    refused(await end("ended"), 404, "NOT_FOUND");
    const entry = await env.db.get<{ target: string; details: string }>`
      select target, details from audit where act = 'app.end-client' order by id desc limit 1`;
    assert.deepEqual([entry?.target, JSON.parse(entry?.details ?? "")], ["ended", { ended: 602 }]);
  });

  it("that consist of tokens do not end with a program, even if somebody names their id", async () => {
    const person = await newcomer();
    const { id } = (await manage(target, person, "POST", "/api/tokens", { name: "Mine", audience: "mcp" }))
      .json;
    refused(await end(String(id)), 404, "NOT_FOUND");
    const { apps } = (await manage(target, person, "GET", "/api/apps")).json as { apps: object[] };
    assert.equal(apps.length, 1);
  });

  for (const [what, ending] of [
    [
      "a program",
      async (client: string) => {
        await connect(admin, client);
        return end(client);
      },
    ],
    [
      "a person",
      async (_: string, person: Person) =>
        manage(target, admin, "DELETE", `/api/admin/users/${await idOf(person)}/apps`),
    ],
  ] as const)
    it(`a code that ${what} has got before the end connects nothing after it`, async () => {
      const person = await newcomer();
      const client = await register(base, `Coded ${what}`);
      const attempt = await newAppAttempt(base, client);
      const code = await codeOf(attempt, person);
      const ended = await ending(client, person);
      assert.equal(ended.status, 200, ended.text);
      const answer = await redeemAs(attempt, code);
      assert.deepEqual([answer.status, answer.json.error], [400, "invalid_grant"]);
    });

  it("of a person are counted, listed and ended, one or all", async () => {
    const person = await newcomer();
    const path = `/api/admin/users/${await idOf(person)}`;
    const [one, two] = [await connect(person, "x"), await connect(person, "y")];
    const { sessions, tokens, apps } = (await manage(target, admin, "GET", path))
      .json as unknown as AdminUserDetails;
    assert.deepEqual({ sessions, tokens, apps }, { sessions: 1, tokens: 0, apps: 2 });
    const listed = async () =>
      ((await manage(target, admin, "GET", `${path}/apps`)).json.apps as { id: string }[]).map(
        ({ id }) => id,
      );
    assert.deepEqual(await listed(), [two.id, one.id]);
    const endOne = (app: string) => manage(target, admin, "DELETE", `${path}/apps?app=${app}`);
    assert.deepEqual((await endOne(one.id)).json, { ended: 1 });
    refused(await endOne(one.id), 404, "NOT_FOUND");
    refused(await endOne((await connect(await newcomer(), "x")).id), 404, "NOT_FOUND");
    assert.deepEqual(await listed(), [two.id]);
    assert.deepEqual((await manage(target, admin, "DELETE", `${path}/apps`)).json, { ended: 1 });
    assert.deepEqual((await manage(target, admin, "DELETE", `${path}/apps`)).json, { ended: 0 });
  });

  it("are for administrators only, and malformed requests are refused", async () => {
    const person = await newcomer();
    const tool = await connect(person, "mine");
    const path = `/api/admin/users/${await idOf(person)}/apps`;
    for (const [method, at] of [
      ["GET", "/api/admin/apps"],
      ["GET", path],
      ["DELETE", path],
    ] as const)
      refused(await manage(target, person, method, at), 403, "PERMISSION_DENIED");
    refused(await end("mine", person), 403, "PERMISSION_DENIED");
    for (const client of ["", "a\0", "x".repeat(2_001), null, ["mine"]])
      refused(await manage(target, admin, "POST", "/api/admin/apps/end", { client }), 400, "INVALID_BODY");
    for (const at of ["/api/admin/users/none/apps", "/api/admin/users/%00/apps"])
      refused(await manage(target, admin, "GET", at), 404, "NOT_FOUND");
    assert.equal((await tool.request("tools/list")).status, 200);
  });
});
