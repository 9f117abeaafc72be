import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import type { TokenScope } from "@easel/protocol/management";
import { z } from "zod";
import type { User } from "../../src/access/principal.ts";
import { newId } from "../../src/crypto/ids.ts";
import type { Credential } from "../../src/identity/credential.ts";
import { createToken, tokenUser } from "../../src/identity/tokens.ts";
import { upsertUser } from "../../src/identity/users.ts";
import { Download, type StoredBytes } from "../../src/management/act.ts";
import { ACTS } from "../../src/management/acts.ts";
import { type ActCaller, actCaller } from "../../src/management/callers.ts";
import { type Input, inputOf } from "../../src/operations/operation.ts";
import { bytesOf } from "../support/bytes.ts";
import { startService } from "../support/service.ts";
import { formOf, manifestOf, sha256 } from "../support/staged.ts";
import { HOUR_MS } from "../support/time.ts";
import { zip } from "../support/zip.ts";

/*
 * Acts (operations of the management API) performed by callers in the same process, without a request. The service listens, but nothing is
 * sent to it.
 */
const ADMIN = "dev@example.com";
const { env } = await startService({ after }, { SERVICE_ADMIN_EMAILS: ADMIN });

const signIn = async (email: string): Promise<User> =>
  (await upsertUser(env.db, email, null, env.clock())) ?? assert.fail(email);

/** Starts a session of a user, and returns its credential. */
async function startSession({ id: userId }: User): Promise<Credential & { id: string }> {
  const [id, now] = [newId(), env.clock()];
  await env.db.run`
    insert into sessions (token_hash, id, user_id, created_at, expires_at, address, user_agent)
    values (${sha256(id)}, ${id}, ${userId}, ${now}, ${now + HOUR_MS}, '', '')`;
  return { kind: "session", id, until: now + HOUR_MS };
}

const callerWith = (user: User, credential: Credential): ActCaller =>
  actCaller({ user, credential, passes: [] }, "127.0.0.1", env);

const callerOf = async (email: string): Promise<ActCaller> => {
  const user = await signIn(email);
  return callerWith(user, await startSession(user));
};

/** Returns the caller with a new access token of a user. */
async function programOf(user: User, scope: TokenScope = "full"): Promise<ActCaller> {
  const { token } = await createToken({ user, credential: null }, { name: "A program", scope }, env);
  const found = (await tokenUser(token, env)) ?? assert.fail("the token is valid");
  return callerWith(found.user, found.credential);
}

/** What a caller gives to an act. `value` is the value of the JSON body. */
type Given = Partial<Pick<Input, "params" | "query" | "body">> & { value?: object };

const actNamed = (name: string) => ACTS.find((each) => each.name === name) ?? assert.fail(name);

async function perform(caller: ActCaller, name: string, { value, ...given }: Given = {}): Promise<unknown> {
  const { body } = await actNamed(name).perform(
    caller,
    inputOf({ ...(value !== undefined && { body: { value } }), ...given }),
    env,
  );
  return body;
}

/** Performs an act that makes or returns something, and returns its id. */
const idFrom = async (...asked: Parameters<typeof perform>): Promise<string> =>
  String(((await perform(...asked)) as { id: unknown }).id);

describe("acts without HTTP", () => {
  let owner: ActCaller;
  let admin: ActCaller;
  /** The id of the canvas of the owner. */
  let id: string;
  before(async () => {
    [owner, admin] = [await callerOf("owner@example.com"), await callerOf(ADMIN)];
    id = await idFrom(owner, "canvas.create", { value: { title: "Tea list", slug: "tea-list" } });
  });

  const zipOf = async (content: string) => bytesOf(await zip({ "index.html": content }), "application/zip");
  const versions = async () =>
    ((await perform(owner, "canvas.versions", { params: { id } })) as { versions: { id: string }[] })
      .versions;
  const stage = (content: string) =>
    idFrom(owner, "canvas.stage", {
      params: { id },
      value: { files: manifestOf({ "index.html": content }) },
    });
  const sendFile = (deploy: string, content: string) =>
    perform(owner, "canvas.stage-file", {
      params: { id, deploy, sha256: sha256(content) },
      body: bytesOf(Buffer.from(content), "application/octet-stream"),
    });
  const team = (name: string) => idFrom(owner, "team.create", { value: { name } });
  const editor = "editor@example.com";
  /** Connects a program to the owner, and returns the id of the connected tool. */
  const connectApp = async (client: string) => {
    const app = newId();
    await env.db.run`
      insert into apps (id, user_id, client_id, client_name, verified, scope, own_only, confirms, created_at)
      values (${app}, ${owner.user.id}, ${client}, ${client}, 1, ${"read"}, 0, 1, ${env.clock()})`;
    return app;
  };

  type Case = [caller: () => ActCaller | Promise<ActCaller>, given?: () => Given | Promise<Given>];
  const ofCanvas = (value?: object): Case => [
    () => owner,
    () => ({ params: { id }, ...(value !== undefined && { value }) }),
  ];
  const ofVersion = (index: number): Case => [
    () => owner,
    async () => ({ params: { id, version: (await versions())[index]?.id ?? "" } }),
  ];
  const asAdmin = (given: Given = {}): Case => [() => admin, () => given];
  const adminOfCanvas = (given: Given = {}): Case => [
    () => admin,
    () => ({ ...given, params: { id, ...given.params } }),
  ];
  const asOwner = (given: Given = {}): Case => [() => owner, () => given];

  /** A caller and an input for each act, performed in this order. */
  const CASES: Record<string, Case> = {
    "me.read": asOwner(),
    "me.usage": asOwner(),
    "me.mails": asOwner(),
    "me.set-mails": asOwner({ value: { shared: false } }),
    "session.list": asOwner(),
    "session.revoke": [() => owner, async () => ({ params: { id: (await startSession(owner.user)).id } })],
    "session.revoke-others": asOwner(),
    "token.create": asOwner({ value: { name: "A program" } }),
    "token.read": [() => programOf(owner.user)],
    "token.list": asOwner(),
    "token.delete": [
      () => owner,
      async () => ({ params: { id: await idFrom(owner, "token.create", { value: { name: "Another" } }) } }),
    ],
    "app.list": asOwner(),
    "app.revoke": [() => owner, async () => ({ params: { id: await connectApp("one") } })],
    "team.create": asOwner({ value: { name: "A team", members: ["a@example.com"] } }),
    "team.list": asOwner({ query: { limit: "1" } }),
    "team.read": [() => owner, async () => ({ params: { id: await team("A") } })],
    "team.update": [() => owner, async () => ({ params: { id: await team("B") }, value: { name: "C" } })],
    "team.delete": [() => owner, async () => ({ params: { id: await team("D") } })],
    "team.leave": [
      () => owner,
      async () => ({
        params: {
          id: await idFrom(owner, "team.create", { value: { name: "E", members: [owner.user.email] } }),
        },
      }),
    ],
    "person.search": asOwner({ query: { q: "editor" } }),
    "canvas.create": [() => programOf(owner.user), () => ({ value: { title: "Made by a program" } })],
    "canvas.list": asOwner({ query: { q: "tea" } }),
    "canvas.read": ofCanvas(),
    "canvas.update": ofCanvas({ title: "Teas" }),
    "canvas.deploy": [() => owner, async () => ({ params: { id }, body: await zipOf("first") })],
    "canvas.stage": ofCanvas({ files: manifestOf({ "index.html": "staged" }) }),
    "canvas.stage-file": [
      () => owner,
      async () => ({
        params: { id, deploy: await stage("file"), sha256: sha256("file") },
        body: bytesOf(Buffer.from("file"), "application/octet-stream"),
      }),
    ],
    "canvas.stage-files": [
      () => owner,
      async () => {
        const [type, body] = await formOf([[sha256("files"), "files"]]);
        return { params: { id, deploy: await stage("files") }, body: bytesOf(body, type) };
      },
    ],
    "canvas.stage-read": [() => owner, async () => ({ params: { id, deploy: await stage("read") } })],
    "canvas.stage-cancel": [() => owner, async () => ({ params: { id, deploy: await stage("cancelled") } })],
    "canvas.stage-finish": [
      () => owner,
      async () => {
        const deploy = await stage("finished");
        await sendFile(deploy, "finished");
        return { params: { id, deploy } };
      },
    ],
    "canvas.versions": ofCanvas(),
    "canvas.version-files": ofVersion(0),
    "canvas.version-file": [
      () => owner,
      async () => ({
        params: { id, version: (await versions())[0]?.id ?? "" },
        query: { path: "index.html" },
      }),
    ],
    "canvas.preview": ofVersion(0),
    "canvas.download": ofCanvas(),
    "canvas.download-version": ofVersion(1),
    "canvas.delete-version": ofVersion(1),
    "canvas.unpublish": ofCanvas(),
    "canvas.publish": ofVersion(0),
    "canvas.share": ofCanvas({
      password: "open, sesame",
      people: [{ email: editor, role: "editor" }],
    }),
    "canvas.explain": [() => owner, () => ({ params: { id }, query: { email: editor } })],
    "canvas.explain-any": adminOfCanvas({ query: { as: "anonymous" } }),
    "canvas.capabilities": ofCanvas({ backendEnabled: true }),
    "canvas.usage": ofCanvas(),
    "canvas.data": ofCanvas(),
    "canvas.export": [() => owner, () => ({ params: { id }, query: { what: "kv" } })],
    "canvas.import": [
      () => owner,
      async () => {
        const manifest = JSON.stringify({ format: "easel-data", version: 1 });
        const lines = JSON.stringify({ key: "imported", value: 1 });
        const archive = await zip({ "manifest.json": manifest, "kv/shared.jsonl": lines });
        return { params: { id }, query: { existing: "keep" }, body: bytesOf(archive, "application/zip") };
      },
    ],
    "canvas.log": ofCanvas(),
    "canvas.activity": ofCanvas(),
    "canvas.connections": ofCanvas(),
    "canvas.invite": ofCanvas({ email: "guest@example.com", name: "A guest" }),
    "canvas.invites": ofCanvas(),
    "canvas.renew-invite": [
      () => owner,
      async () => {
        const value = { email: "again@example.com" };
        return { params: { id, invite: await idFrom(owner, "canvas.invite", { params: { id }, value }) } };
      },
    ],
    "canvas.uninvite": [
      () => owner,
      async () => {
        const value = { email: "other@example.com" };
        return { params: { id, invite: await idFrom(owner, "canvas.invite", { params: { id }, value }) } };
      },
    ],
    "canvas.list-all": asAdmin(),
    "canvas.disable": adminOfCanvas({ value: { reason: "A reason." } }),
    "canvas.enable": adminOfCanvas(),
    "canvas.delete": ofCanvas(),
    "canvas.restore-own": ofCanvas(),
    "canvas.purge-own": [
      () => owner,
      async () => {
        const params = { id: await idFrom(owner, "canvas.create", { value: { title: "Gone" } }) };
        await perform(owner, "canvas.delete", { params });
        return { params };
      },
    ],
    "canvas.restore": [
      () => admin,
      async () => {
        await perform(owner, "canvas.delete", { params: { id } });
        return { params: { id } };
      },
    ],
    "canvas.transfer": [
      () => owner,
      async () => {
        await signIn(editor);
        return { params: { id }, value: { email: editor } };
      },
    ],
    "user.list": asAdmin({ query: { q: "editor" } }),
    "user.update": [
      () => admin,
      async () => ({
        params: { id: (await signIn("leaving@example.com")).id },
        value: { deactivated: true },
      }),
    ],
    "user.read": [() => admin, async () => ({ params: { id: (await signIn(editor)).id } })],
    "user.handover-preview": [() => admin, async () => ({ params: { id: (await signIn(editor)).id } })],
    "user.handover": [
      () => admin,
      async () => ({
        params: { id: (await signIn(editor)).id },
        value: { to: owner.user.email, deactivate: false },
      }),
    ],
    "canvas.read-any": adminOfCanvas({}),
    "canvas.reassign": adminOfCanvas({ value: { email: editor } }),
    "canvas.take": adminOfCanvas(),
    "user.add": asAdmin({ value: { email: "added@example.com" } }),
    "user.sessions": [() => admin, () => ({ params: { id: owner.user.id } })],
    "user.end-sessions": [
      () => admin,
      async () => ({
        params: { id: owner.user.id },
        query: { session: (await startSession(owner.user)).id },
      }),
    ],
    "user.identities": [() => admin, () => ({ params: { id: owner.user.id } })],
    "user.unlink": [() => admin, async () => ({ params: { id: (await signIn(editor)).id } })],
    "user.guests": [() => admin, () => ({ params: { id: owner.user.id } })],
    "user.end-guests": [() => admin, () => ({ params: { id: owner.user.id } })],
    "user.sign-out": [() => admin, async () => ({ params: { id: (await signIn(editor)).id } })],
    "app.clients": asAdmin(),
    "app.end-client": [
      () => admin,
      async () => {
        await connectApp("two");
        return { value: { client: "two" } };
      },
    ],
    "user.apps": [() => admin, () => ({ params: { id: owner.user.id } })],
    "user.end-apps": [() => admin, () => ({ params: { id: owner.user.id } })],
    "org.put": asAdmin({ params: { id: "acts" }, value: { name: "Acts", domains: ["acts.example"] } }),
    "org.list": asAdmin(),
    "org.read": asAdmin({ params: { id: "acts" } }),
    "org.preview": asAdmin({ params: { id: "acts" }, value: { domains: ["acts.example"] } }),
    "org.delete": asAdmin({ params: { id: "acts" } }),
    "instance.overview": asAdmin(),
    "instance.health": asAdmin(),
    "instance.config": asAdmin(),
    "settings.read": asAdmin(),
    "settings.update": asAdmin({ value: { ai: { guestUsd: 2 } } }),
    "ai.usage": asAdmin(),
    "connection.put": asAdmin({
      params: { profile: "acts" },
      value: { origin: "https://localhost", methods: ["GET"] },
    }),
    "connection.list": asAdmin(),
    "connection.grant": [
      () => admin,
      () => ({ params: { profile: "acts", canvasId: id }, value: { public: true } }),
    ],
    "connection.test": asAdmin({ params: { profile: "acts" }, value: { method: "GET", path: "/" } }),
    "connection.usage": asAdmin({ params: { profile: "acts" } }),
    "connection.revoke": [() => admin, () => ({ params: { profile: "acts", canvasId: id } })],
    "connection.delete": asAdmin({ params: { profile: "acts" } }),
    "audit.list": asAdmin(),
    "audit.export": asAdmin(),
    "audit.lines": [
      () => admin,
      async () => {
        await env.db.run`
          insert into audit (id, at, actor_id, actor_email, act, address) values ('0', 0, 'x', 'ada@acme.test', 'a.b', '::1')`;
        return {};
      },
    ],
    "me.export": asOwner(),
    "user.export": [() => admin, () => ({ params: { id: owner.user.id } })],
    "user.erase": [() => admin, async () => ({ params: { id: (await signIn("erased@example.com")).id } })],
    "session.end-all": asAdmin({ query: { tokens: "true" } }),
  };

  it("every act has a case", () => {
    assert.deepEqual(Object.keys(CASES).sort(), ACTS.map(({ name }) => name).sort());
  });

  for (const [name, [caller, given = () => ({})]] of Object.entries(CASES))
    it(`${name}: the result fits its schema, and a change is in the audit log`, async () => {
      const { response, audited } = actNamed(name);
      const input = await given();
      const count = async () =>
        (await env.db.get<{ entries: number }>`select count(*) as entries from audit where act = ${name}`)
          ?.entries ?? 0;
      const earlier = await count();
      const body = await perform(await caller(), name, input);
      if (response.type === "application/octet-stream") {
        const { status, open } = body as StoredBytes;
        assert.equal(status, 200);
        assert.ok(open !== null);
        assert.equal((await buffer(await open())).toString(), "finished");
      } else if (response.type !== undefined) {
        assert.ok(body instanceof Download);
        const start = (await buffer(body.stream)).subarray(0, 2).toString();
        assert.equal(start, response.type === "application/zip" ? "PK" : '{"');
      } else if (response.schema === null) assert.equal(body, undefined);
      else {
        const { error } = response.schema.safeParse(JSON.parse(JSON.stringify(body)));
        assert.equal(error && z.prettifyError(error), undefined);
      }
      assert.equal((await count()) - earlier, audited ? 1 : 0);
    });
});

describe("rights of callers without HTTP", () => {
  let owner: ActCaller;
  let id: string;
  before(async () => {
    owner = await callerOf("rights@example.com");
    id = await idFrom(owner, "canvas.create", { value: { title: "Rights" } });
  });
  const titleNow = async () =>
    (await env.db.get<{ title: string }>`select title from canvases where id = ${id}`)?.title;

  it("an access token performs no act that needs a session, and is restricted by its scope", async () => {
    const program = await programOf(owner.user);
    await assert.rejects(perform(program, "token.list"), { code: "PERMISSION_DENIED" });
    const deployer = await programOf(owner.user, "deploy");
    await assert.rejects(perform(deployer, "canvas.update", { params: { id }, value: { tags: [] } }), {
      code: "PERMISSION_DENIED",
    });
    await perform(deployer, "canvas.update", { params: { id }, value: { title: "Rights" } });
  });

  it("a stranger finds no canvas, and only administrators administer", async () => {
    const stranger = await callerOf("stranger@example.com");
    await assert.rejects(perform(stranger, "canvas.read", { params: { id } }), { code: "NOT_FOUND" });
    await assert.rejects(perform(owner, "user.list"), { code: "PERMISSION_DENIED" });
  });

  it("a body that arrives late, while the session ends: 401, and nothing has changed", async () => {
    const credential = await startSession(owner.user);
    const end = () => env.db.run`delete from sessions where id = ${credential.id}`;
    const body = bytesOf(Buffer.from('{"title":"Taken"}'), "application/json", end);
    const caller = callerWith(owner.user, credential);
    await assert.rejects(perform(caller, "canvas.update", { params: { id }, body }), { status: 401 });
    assert.equal(await titleNow(), "Rights");
  });

  it("an upload that arrives late, while the canvas is disabled: 409, and no version is published", async () => {
    const late = bytesOf(
      await zip({ "index.html": "taken" }),
      "application/zip",
      () => env.db.run`update canvases set disabled_at = 1 where id = ${id}`,
    );
    await assert.rejects(perform(owner, "canvas.deploy", { params: { id }, body: late }), {
      code: "DISABLED",
    });
    const row = await env.db.get<{
      version_id: string | null;
    }>`select version_id from canvases where id = ${id}`;
    assert.equal(row?.version_id, null);
  });
});
