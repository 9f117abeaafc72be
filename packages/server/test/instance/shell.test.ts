import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type Cast, manage, type Stage, stage, turn } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { connect } from "@easel/conformance/realtime/socket";
import { freshEmail, type Person, type Target } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { onAccessChange } from "../../src/canvases/open-connections.ts";
import { columns, jsonLine, printable, type Terminal } from "../../src/commands/admin/terminal.ts";
import { COMMANDS, type CommandRow } from "../../src/commands/commands.ts";
import { readConfig } from "../../src/config/config.ts";
import { SetupError } from "../../src/config/setting-types.ts";
import { newId } from "../../src/crypto/ids.ts";
import { openDb } from "../../src/drivers/index.ts";
import { becomeOnlyWriter } from "../../src/instance/one-writer.ts";
import { startShellActs } from "../../src/organisation/shell-acts.ts";
import { onEngines, onSqlite } from "../support/engines.ts";
import { temporaryDirectory } from "../support/service.ts";
import type { TestEnv } from "../support/test-env.ts";
import { DAY_MS } from "../support/time.ts";

interface Said {
  out: string[];
  notes: string[];
  asked: string[];
}

/** Runs a command of `easel-server admin` in this process. `answer` is what somebody at the terminal says; null without a terminal. */
async function runAdmin(
  environment: Record<string, string>,
  name: string,
  args: string[],
  options: Record<string, string | boolean> = {},
  answer: string | null = null,
): Promise<Said & { code: number | undefined }> {
  const said: Said = { out: [], notes: [], asked: [] };
  const terminal: Terminal = {
    print: (line) => void said.out.push(line),
    note: (line) => void said.notes.push(line),
    ask:
      answer === null
        ? null
        : async (question) => {
            said.asked.push(question);
            return answer;
          },
  };
  const group = COMMANDS.admin as { commands: Record<string, CommandRow> };
  const command = (await group.commands[name]?.load()) ?? assert.fail(name);
  const run = command.run as (given: object, terminal: Terminal) => Promise<number | undefined>;
  return { ...said, code: await run({ args, options, environment }, terminal) };
}

/** Asserts that a command is refused with a message for the operator. */
const refuses = (asked: Promise<unknown>, message: RegExp) =>
  assert.rejects(asked, (error) => {
    assert.ok(error instanceof SetupError, String(error));
    assert.match(error.message, message);
    return true;
  });

const YES = { yes: true };

/** An entry of the audit log. */
interface Entry {
  target: string;
  canvasId: string | null;
  address: string;
  actor: object;
  details: Record<string, unknown>;
}

/** People of a service, with commands of the shell on its database. */
function setUp(target: Target, env: TestEnv) {
  const { databaseUrl, dataDir } = env.config;
  const settings = { SERVICE_DATABASE_URL: databaseUrl, SERVICE_DATA_DIR: dataDir };
  const cast = {} as Cast & { administrator: Person };
  const site = {} as Stage;
  before(async () => {
    Object.assign(site, await stage(target));
    Object.assign(cast, site.people, { administrator: await target.signIn(target.admin) });
  });
  const meOf = (person: Person) => manage(target, person, "GET", "/api/me");
  return {
    settings,
    cast,
    site,
    meOf,
    admin: (name: string, args: string[], options?: Record<string, string | boolean>, answer?: string) =>
      runAdmin(settings, name, args, options, answer),
    idOf: async (person: Person) => String((await meOf(person)).json.id),
    isIn: async (person: Person) => (await meOf(person)).status === 200,
    /** Reads what the audit log has of an act by the shell, the newest first. */
    async entries(act: string): Promise<Entry[]> {
      const path = `/api/admin/audit?act=${act}&actor=shell`;
      return (await manage(target, cast.administrator, "GET", path)).json.entries as unknown as Entry[];
    },
  };
}

await onEngines("administration from the shell", (target, env) => {
  const { admin, cast, site, idOf, isIn, entries } = setUp(target, env);

  it("people are listed, with what others have named themselves made harmless", async () => {
    const email = freshEmail("hostile");
    const id = newId();
    const name = "Eve\u001b]0;owned\u0007\u202egnp\u009b31m";
    await env.db
      .run`insert into users (id, email, name, created_at) values (${id}, ${email}, ${name}, ${env.clock()})`;
    const { out } = await admin("users", [], { search: email });
    assert.equal(out.length, 2);
    assert.ok(out[0]?.startsWith("ID "));
    const escaped = "Eve\\u{1b}]0;owned\\u{7}\\u{202e}gnp\\u{9b}31m";
    const row = out[1] ?? "";
    assert.ok(row.startsWith(`${id}  active `) && row.endsWith(`  ${email}  ${escaped}`), row);
    const json = (await admin("users", [], { search: email, json: true })).out;
    assert.equal(json.length, 1);
    assert.doesNotMatch(json[0] ?? "", /[\p{Cc}\p{Cf}]/u);
    const { name: read, isAdmin } = JSON.parse(json[0] ?? "");
    assert.deepEqual([read, isAdmin], [name, false]);
    const all = (await admin("users", [], { json: true })).out.map((line) => JSON.parse(line));
    assert.equal(all.find((each) => each.email === target.admin).isAdmin, true);
    assert.deepEqual((await admin("users", [], { search: "nobody-at-all" })).notes, ["Nobody matches."]);
  });

  it("a person is deactivated after a question: what let them in ends at once, and open connections soon", async () => {
    const lines: { audit?: { details: Record<string, unknown> } }[] = [];
    const { log } = env;
    env.log = Object.assign(Object.create(log), { info: (fields: object) => void lines.push(fields) });
    const person = await target.signIn(freshEmail("leaver"));
    const id = await idOf(person);
    const token = await tokenOf(target, person);
    await turn(target, site, { realtime: true });
    const shared = { access: "whole_org" };
    assert.equal(
      (await manage(target, cast.owner, "PUT", `/api/canvases/${site.id}/sharing`, shared)).status,
      200,
    );
    const socket = await connect(target, site.slug, person);
    await refuses(admin("deactivate", [person.email]), /Add --yes/);
    for (const answer of ["", "n", "yesterday"])
      await refuses(admin("deactivate", [person.email], {}, answer), /Nothing has been changed/);
    assert.equal(await isIn(person), true);
    const { asked, notes } = await admin("deactivate", [person.email.toUpperCase()], {}, "y");
    const counts = "1 session and 1 access token";
    assert.deepEqual(asked, [`Deactivate ${person.email}, and end ${counts}? [y/N] `]);
    assert.match(notes[0] ?? "", new RegExp(`is deactivated: ${counts} ended`));
    assert.deepEqual([await isIn(person), await isIn(token)], [false, false]);
    await assert.rejects(target.signIn(person.email));
    assert.match((await admin("deactivate", [id], YES)).notes[0] ?? "", /deactivated already, since 20/);
    const [entry, ...others] = await entries("user.update");
    assert.equal(others.length, 0);
    const { osUser, ...details } = entry?.details ?? {};
    assert.deepEqual(
      [entry?.actor, entry?.target, entry?.address, details],
      [{ id: "shell", email: "shell" }, id, "", { email: person.email, deactivated: true }],
    );
    assert.match(String(osUser), /\S/);
    // The service reads what the shell has done with each renewal of its lease, on either engine.
    if (env.config.databaseUrl.startsWith("sqlite:")) {
      await until("it is logged", () => lines.some(({ audit }) => audit?.details.email === person.email));
      assert.equal((await socket.end()).code, 4401);
    } else await socket.close();
    env.log = log;
    await admin("reactivate", [person.email]);
    assert.equal(await isIn(person), false);
    assert.equal(await isIn(await target.signIn(person.email)), true);
    assert.match((await admin("reactivate", [person.email])).notes[0] ?? "", /active already/);
  });

  it("what it asks the database runs on either engine", async () => {
    const { editor, owner } = cast;
    await admin("transfer", [site.slug], { ...YES, to: editor.email });
    await admin("transfer", [site.id], { ...YES, to: owner.email });
    assert.deepEqual(
      (await entries("canvas.reassign")).map(({ canvasId, target }) => [canvasId, target]),
      [
        [site.id, owner.email],
        [site.id, editor.email],
      ],
    );
    const everyones = (await admin("sessions", [], { all: true, json: true })).out.map((line) =>
      JSON.parse(line),
    );
    const [own] = everyones.filter(({ email }) => email === owner.email);
    assert.deepEqual([own.guest, own.address], [false, "127.0.0.1"]);
    await refuses(admin("deactivate", [target.admin], YES), /last administrator/);
  });

  it("what the shell has done is announced and logged once, by the oldest node", async () => {
    const look: (() => unknown)[] = [];
    const hold = (listener: () => unknown) => {
      look.push(listener);
      return () => {};
    };
    const logged: string[] = [];
    const nodes = await env.db.all<{ id: string }>`select id from nodes order by started_at`;
    const start = (id: string) =>
      startShellActs({
        ...env,
        log: Object.assign(Object.create(env.log), {
          info: (_: object, act: string) => void logged.push(act),
        }),
        lease: { ...env.lease, id, afterDatabase: hold },
      });
    const changes: unknown[] = [];
    const end = await onAccessChange((change) => changes.push(change), env);
    await start(nodes[0]?.id ?? "the only one");
    // One that is younger than a node leaves it to that node.
    if (nodes.length > 0) await start("a younger one");
    const email = freshEmail("noticed");
    const id = await idOf(await target.signIn(email));
    changes.length = 0;
    await admin("sessions", [email], { ...YES, end: true });
    const seen = () => changes.filter((each) => JSON.stringify(each).includes(id)).length;
    for (const each of look) await each();
    assert.deepEqual(logged, ["user.end-sessions"]);
    assert.ok(seen() >= 1);
    for (const each of look) await each();
    assert.deepEqual(logged, ["user.end-sessions"]);
    await end();
  });
});

await onSqlite("administration from the shell, whatever the database", (target, env) => {
  const { admin, cast, site, settings, meOf, idOf, isIn, entries } = setUp(target, env);

  it("somebody who is not exactly one person is refused, with who may be meant", async () => {
    const [one, other] = [freshEmail("double"), freshEmail("double")];
    for (const email of [one, other]) await target.signIn(email);
    for (const [given, message] of [
      ["double", /nobody with the address or id double. These match: \S+, \S+ Give the whole address/],
      [one.split("@")[0] as string, new RegExp(`Is it ${one}\\?`)],
      ["no-one@acme.test", /nobody with the address no-one@acme.test. `easel-server admin users` lists/],
      [newId(), /nobody with the address or id /],
      ["\u001b[31m", /id \\u\{1b\}\[31m/],
      ["", /nobody with the address or id/],
    ] as const)
      await refuses(admin("deactivate", [given], YES), message);
  });

  it("the last administrator stays", async () => {
    await refuses(
      admin("deactivate", [target.admin], YES),
      /last administrator who can sign in.*SERVICE_ADMIN_EMAILS/,
    );
    await refuses(
      admin("deactivate", [target.admin], { ...YES, "transfer-to": cast.editor.email }),
      /last administrator/,
    );
    assert.equal(await isIn(cast.administrator), true);
    // Somebody who is named in the settings, and has not come yet, can be one.
    const more = { ...settings, SERVICE_ADMIN_EMAILS: `${target.admin},${freshEmail("next")}` };
    await runAdmin(more, "deactivate", [target.admin], YES);
    await admin("reactivate", [target.admin]);
    cast.administrator = await target.signIn(target.admin);
  });

  it("what a person owns is handed over before they are deactivated, or they are not", async () => {
    const [from, to] = [await target.signIn(freshEmail("from")), await target.signIn(freshEmail("to"))];
    const made = await manage(target, from, "POST", "/api/canvases", { title: "Tea" });
    const toId = await idOf(to);
    const quota = (canvases: number | null) =>
      manage(target, cast.administrator, "PATCH", `/api/admin/users/${toId}`, {
        quotas: { "canvases.person": canvases },
      });
    await quota(0);
    const options = { ...YES, "transfer-to": to.email };
    await refuses(
      admin("deactivate", [from.email], options),
      /NOT deactivated, because they still own 1 canvas/,
    );
    assert.equal(await isIn(from), true);
    await quota(null);
    assert.equal((await admin("deactivate", [from.email], options)).code, 0);
    assert.equal(await isIn(from), false);
    assert.equal((await manage(target, to, "GET", `/api/canvases/${made.json.id}`)).json.viewerRole, "owner");
    const [entry] = await entries("user.handover");
    assert.deepEqual([entry?.details.from, entry?.details.deactivated], [from.email, true]);
    await refuses(
      admin("deactivate", [to.email], { ...YES, "transfer-to": from.email }),
      /new owner is deactivated/,
    );
  });

  it("a person whose account was made anew is unlinked from the former one", async () => {
    const person = await target.signIn(freshEmail("anew"));
    const id = await idOf(person);
    await env.db.run`
      insert into identities (issuer, subject, user_id, created_at) values ('https://id.test', ${id}, ${id}, 1)`;
    await refuses(admin("unlink", [person.email], {}, "n"), /Nothing has been changed/);
    assert.match((await admin("unlink", [person.email], YES)).notes[0] ?? "", /^1 account unlinked/);
    assert.equal(await isIn(person), false);
    assert.deepEqual(
      (await entries("user.unlink")).map(({ details }) => details.accounts),
      [[{ issuer: "https://id.test", subject: id }]],
    );
  });

  it("a token is made for a person, printed alone on standard output", async () => {
    const person = await target.signIn(freshEmail("ci"));
    const make = (options: Record<string, string>, who = person.email) =>
      admin("token", [who], { name: "CI", expires: "30", ...options });
    const { out, notes } = await make({ scope: "read" });
    assert.equal(out.length, 1);
    const holder: Person = { ...person, headers: [["Authorization", `Bearer ${out[0]}`]] };
    assert.equal((await meOf(holder)).json.email, person.email);
    assert.equal((await manage(target, holder, "POST", "/api/canvases", { title: "No" })).status, 403);
    assert.doesNotMatch(notes.join(), new RegExp(out[0] as string));
    const [info] = (await manage(target, person, "GET", "/api/tokens")).json.tokens as unknown as {
      id: string;
      expiresAt: number;
    }[];
    assert.ok(Math.abs((info?.expiresAt ?? 0) - Date.now() - 30 * DAY_MS) < DAY_MS);
    const [entry] = await entries("token.create");
    assert.deepEqual(
      [entry?.target, entry?.details.email, entry?.details.scope],
      [info?.id, person.email, "read"],
    );
    assert.doesNotMatch(JSON.stringify(entry), new RegExp(out[0] as string));
    for (const [options, message] of [
      [{ expires: "0" }, /number of days/],
      [{ expires: "1.5" }, /number of days/],
      [{ scope: "all" }, /--scope is one of full, deploy, read/],
      [{ name: "" }, /name/],
      [{ canvas: "none" }, /There is no canvas none/],
      [{ canvas: site.slug }, /has no role on the canvas/],
    ] as const)
      await refuses(make(options), message);
    await admin("deactivate", [person.email], YES);
    await refuses(make({}), /is deactivated/);
    const limited = { ...settings, SERVICE_TOKEN_MAX_DAYS: "7" };
    const args = { name: "CI", expires: "30" };
    await refuses(runAdmin(limited, "token", [cast.editor.email], args), /at most 7 days/);
  });

  it("it works beside a service, and not beside a command that no service may run beside", async () => {
    const config = readConfig(settings);
    const quiet = { config, log: { info() {} } };
    const person = await target.signIn(freshEmail("beside"));
    const service = await becomeOnlyWriter(quiet, 0, "service");
    await admin("sessions", [person.email], { ...YES, end: true });
    assert.equal(await isIn(person), false);
    service.release();
    const command = await becomeOnlyWriter(quiet, 0);
    const events: string[] = [];
    const ended = admin("sessions", [person.email], { ...YES, end: true }).then(() => events.push("ended"));
    for (let tries = 0; tries < 5; tries++) await admin("users", []);
    events.push("released");
    command.release();
    await ended;
    assert.deepEqual(events, ["released", "ended"]);
  });

  it("a canvas goes to somebody else, by its id, slug or address", async () => {
    const to = await target.signIn(freshEmail("heir"));
    const canvas = await manage(target, to, "POST", "/api/canvases", {
      title: "Lunch",
      slug: `lunch-${Date.now()}`,
    });
    const { id, slug } = canvas.json as { id: string; slug: string };
    const ownerOf = async () =>
      (
        (await manage(target, cast.administrator, "GET", `/api/admin/canvases/${id}`)).json.owner as {
          email: string;
        }
      ).email;
    for (const [given, next] of [
      [id, cast.viewer],
      [slug, cast.editor],
      [`${target.base}/c/${slug}/`, to],
    ] as const) {
      await admin("transfer", [given], { ...YES, to: next.email });
      assert.equal(await ownerOf(), next.email);
    }
    assert.match((await admin("transfer", [slug], { ...YES, to: to.email })).notes[0] ?? "", /already/);
    await refuses(admin("transfer", ["no-canvas"], { ...YES, to: to.email }), /There is no canvas no-canvas/);
    await manage(target, to, "DELETE", `/api/canvases/${id}`);
    await refuses(admin("transfer", [id], { ...YES, to: cast.viewer.email }), /“Lunch” .* is deleted/);
    const [entry] = await entries("canvas.reassign");
    assert.deepEqual(
      [entry?.canvasId, entry?.target, entry?.details.from],
      [id, to.email, cast.editor.email],
    );
  });

  it("sessions are listed and ended: one, those of a person with their tokens, those of everyone", async () => {
    const person = await target.signIn(freshEmail("devices"));
    const second = await target.signIn(person.email);
    const token = await tokenOf(target, person);
    const list = async () =>
      (await admin("sessions", [person.email], { json: true })).out.map((line) => JSON.parse(line));
    const [newest, ...others] = await list();
    assert.deepEqual([others.length, newest.address, "current" in newest], [1, "127.0.0.1", false]);
    assert.match((await admin("sessions", [person.email])).out[1] ?? "", new RegExp(`^${newest.id}  20`));
    const everyones = (await admin("sessions", [], { all: true })).out;
    assert.ok(everyones.some((line) => line.startsWith(newest.id) && line.includes(person.email)));
    await admin("sessions", [person.email], { ...YES, end: true, session: newest.id });
    assert.deepEqual([await isIn(second), await isIn(person), await isIn(token)], [false, true, true]);
    await refuses(
      admin("sessions", [cast.viewer.email], { ...YES, end: true, session: others[0].id }),
      /has no session with this id/,
    );
    await admin("sessions", [person.email], { ...YES, end: true });
    assert.deepEqual([await isIn(person), await isIn(token)], [false, true]);
    await admin("sessions", [person.email], { ...YES, end: true, tokens: true });
    assert.equal(await isIn(token), false);
    assert.match((await admin("sessions", [person.email])).notes[0] ?? "", /has no session/);
    for (const [args, options] of [
      [[], {}],
      [[person.email], { all: true }],
      [[person.email], { tokens: true }],
      [[], { all: true, end: true, session: newest.id }],
    ] as const)
      await refuses(admin("sessions", [...args], options), /easel-server admin sessions|--end|leave out/);
    const kept = await tokenOf(target, cast.editor);
    await admin("sessions", [], { ...YES, all: true, end: true });
    assert.deepEqual(
      [await isIn(cast.administrator), await isIn(cast.owner), await isIn(kept)],
      [false, false, true],
    );
    await admin("sessions", [], { ...YES, all: true, end: true, tokens: true });
    assert.equal(await isIn(kept), false);
    cast.administrator = await target.signIn(target.admin);
    assert.deepEqual(
      (await entries("session.end-all")).map(({ details }) => details.tokens),
      [true, false],
    );
  });
});

describe("administration from the shell without a database that fits", () => {
  const scope = { after };

  it("makes no database, and says where it looked", async () => {
    const directory = await temporaryDirectory(scope);
    const users = () => runAdmin({ SERVICE_DATA_DIR: directory }, "users", []);
    await refuses(users(), /There is no database .*easel.db. Run this with the settings of the service/);
    await refuses(users(), /There is no database/);
    await writeFile(path.join(directory, "easel.db"), "");
    await refuses(users(), /has no tables of a service yet/);
  });

  it("refuses the database of an older or a newer release, one that was copied away, and an unfinished restore", async () => {
    const directory = await temporaryDirectory(scope);
    const environment = { SERVICE_DATA_DIR: directory };
    const db = await openDb(readConfig(environment), assert.ifError);
    const { migrate } = await import("../../src/drivers/db/migrate.ts");
    await migrate(db);
    const users = () => runAdmin(environment, "users", []);
    assert.deepEqual((await users()).notes, ["Nobody has signed in yet."]);
    const [last] = await db.all<{ name: string; hash: string }>`
      select name, hash from migrations order by name desc limit 1`;
    await db.run`delete from migrations where name = ${last?.name ?? ""}`;
    await refuses(users(), new RegExp(`of an older release: it lacks the migration ${last?.name}`));
    await db.run`insert into migrations (name, hash, applied_at) values (${last?.name ?? ""}, ${last?.hash ?? ""}, 0)`;
    await db.run`insert into migrations (name, hash, applied_at) values ('9999_later.sql', '', 0)`;
    await refuses(users(), /9999_later.sql, which this release, .*, does not know/);
    await db.run`delete from migrations where name = '9999_later.sql'`;
    await db.run`insert into instance (singleton, id) values (1, ${`copied away from ${newId()}`})`;
    await refuses(users(), /was copied, and the copy has taken its place/);
    await db.run`delete from instance`;
    await mkdir(path.join(directory, "restoring"));
    await writeFile(path.join(directory, "restoring", "plan.json"), "{}");
    await refuses(users(), /A restore was interrupted. Start the service, which finishes it/);
    await db.close();
  });
});

it("texts of others are printed without what a terminal would obey, in lines and in JSON", () => {
  assert.equal(printable("a\tb\n\u2028\u{e0041}é漢"), "a\\u{9}b\\u{a}\\u{2028}\\u{e0041}é漢");
  const value = { text: "\u009b\u202e\u{e0041}é" };
  assert.equal(jsonLine(value), '{"text":"\\u009b\\u202e\\udb40\\udc41é"}');
  assert.deepEqual(JSON.parse(jsonLine(value)), value);
  assert.deepEqual(
    columns([
      ["ID", "NAME"],
      ["1234", "x"],
    ]),
    ["ID    NAME", "1234  x"],
  );
});
