import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { asKeys } from "../../server/src/drivers/db/db.ts";
import { fileScope } from "../../server/test/support/service.ts";
import { easel, folderWith, type RunOptions, signedIn, startSite } from "./support/easel.ts";

const { base, env, service } = await startSite(fileScope(), { SERVICE_RATELIMIT_ENABLED: "false" });

/** Deploys a canvas with this slug. Returns a function that runs `easel` for it. */
async function deployed(t: TestContext, slug: string) {
  const folder = await folderWith(t, slug, { "index.html": "<!doctype html><title>Page</title>" });
  const { code, stderr } = await easel(["deploy", folder], { env });
  assert.equal(code, 0, stderr);
  return (args: string[], options: RunOptions = {}) => easel(args, { cwd: folder, env, ...options });
}

const sharingOf = async (slug: string) => {
  const [canvas] = await service.db.all<{
    access: string;
    expires_at: number | null;
    password_hash: string | null;
  }>`
    select access, expires_at, password_hash from canvases where slug = ${slug} and deleted_at is null`;
  const people = await service.db.all<{ email: string; role: string }>`
    select email, role from canvas_people where canvas_id = (select id from canvases where slug = ${slug}) order by email`;
  return { ...canvas, people: people.map(({ email, role }) => `${email} ${role}`) };
};

test("share shows who may open a canvas, and changes nothing", async (t) => {
  const run = await deployed(t, "shown");
  const before = await sharingOf("shown");
  const { code, stdout } = await run(["share"]);
  assert.deepEqual(
    [code, stdout],
    [0, `${base}/c/shown/\nprivate\n\nWHO                ROLE\nowner@example.com  owner\n`],
  );
  assert.deepEqual(await sharingOf("shown"), before);
});

test("share lists a canvas for everyone who can sign in, and says what a Public link lacks", async (t) => {
  const run = await deployed(t, "found");
  const rows: [args: string[], listed: boolean, says: RegExp][] = [
    [["--access", "whole_org"], true, /listed on their home pages/],
    [[], true, /listed on their home pages/],
    [["--unlisted"], false, /on nobody's home page/],
    [["--access", "whole_org"], true, /listed on their home pages/],
    [["--access", "whole_org", "--unlisted"], false, /on nobody's home page/],
    [["--access", "public_link"], false, /without a sign-in\.\nA Public link .* owner and editors only\./],
    [["--access", "private", "--add", "ada@example.com"], false, /The owner, ada@example\.com may enter/],
  ];
  for (const [args, listed, says] of rows) {
    const { stdout, stderr } = await run(["share", ...args, "--json"]);
    assert.equal(JSON.parse(stdout).listed, listed, args.join(" "));
    assert.match(stderr, says);
  }
});

test("share lists a guest among thousands of revoked invitations", async (t) => {
  const run = await deployed(t, "crowded");
  assert.equal((await run(["share", "--invite", "guest@example.com"])).code, 0);
  const side = (prefix: string) => Array.from({ length: 1_001 }, (_, index) => `${prefix}${index}`);
  await service.db.run`
    insert into invites (id, canvas_id, email, name, token_hash, created_at, created_by, revoked_at)
    select key, canvases.id, 'gone@example.com', 'Gone', key, 0, owner_id, 1
    from json_each(${asKeys([...side("0"), ...side("z")])}), canvases where slug = 'crowded'`;
  const { invites } = JSON.parse((await run(["share", "--json"])).stdout);
  assert.deepEqual(
    invites.map(({ email }: { email: string }) => email),
    ["guest@example.com"],
  );
});

test("people whom several add at the same time all stay", async (t) => {
  const run = await deployed(t, "at-once");
  const names = ["ada", "bob", "eve", "kim"];
  const runs = await Promise.all(names.map((name) => run(["share", "--add", `${name}@example.com`])));
  assert.deepEqual(
    runs.map(({ code, stderr }) => `${code} ${stderr.includes("conflict")}`),
    names.map(() => "0 false"),
  );
  const { people } = await sharingOf("at-once");
  assert.deepEqual(
    people,
    names.map((name) => `${name}@example.com viewer`),
  );
});

test("people are added, get another role, and are removed; the others stay", async (t) => {
  const run = await deployed(t, "people");
  await run(["share", "--add", "Ada@example.com:editor", "--add", "bob@example.com"]);
  assert.deepEqual((await sharingOf("people")).people, ["ada@example.com editor", "bob@example.com viewer"]);
  await run(["share", "--add", "bob@example.com:editor", "--remove", "ada@example.com"]);
  assert.deepEqual((await sharingOf("people")).people, ["bob@example.com editor"]);
  const unknown = await run(["share", "--add", "eve@example.com", "--remove", "ada@example.com"]);
  assert.equal(unknown.code, 2);
  for (const wrong of ["eve", "eve@example.com:owner", "eve@example.com:", "a b@example.com"])
    assert.equal((await run(["share", "--add", wrong])).code, 2, wrong);
  assert.deepEqual((await sharingOf("people")).people, ["bob@example.com editor"]);
});

test("access and expiry", async (t) => {
  const run = await deployed(t, "open-to");
  const start = Date.now();
  const { stdout } = await run(["share", "--access", "public_link", "--expires", "7d", "--json"]);
  const { access, expiresAt } = JSON.parse(stdout);
  const week = 7 * 24 * 60 * 60 * 1000;
  assert.equal(access, "public_link");
  assert.ok(Date.parse(expiresAt) >= start + week && Date.parse(expiresAt) <= Date.now() + week);
  const shown = await run(["share"]);
  assert.match(shown.stdout, /\npublic_link, until [\d: -]{19} \(in \d days\)\n/);
  await run(["share", "--expires", "never"]);
  assert.equal((await sharingOf("open-to")).expires_at, null);
  assert.equal((await run(["share", "--access", "everyone"])).code, 2);
  assert.equal((await run(["share", "--expires", "soon"])).code, 2);
  assert.equal((await run(["share", "--expires", "2020-01-01"])).code, 1);
  assert.equal((await sharingOf("open-to")).access, "public_link");
});

test("an invitation prints its link once, and --remove revokes it", async (t) => {
  const run = await deployed(t, "with-guest");
  const made = await run(["share", "--invite", "guest@example.com"]);
  const [, url = ""] = /\nguest@example\.com: (http\S+)\n$/.exec(made.stdout) ?? [];
  const opened = await fetch(url, { redirect: "manual" });
  assert.equal(opened.status, 303);
  const listed = JSON.parse((await run(["share", "--json"])).stdout);
  assert.deepEqual(
    listed.invites.map(({ email, url: link }: { email: string; url: string | null }) => [email, link]),
    [["guest@example.com", null]],
  );
  assert.equal((await run(["share", "--remove", "guest@example.com"])).code, 0);
  assert.equal((await fetch(url, { redirect: "manual" })).status === 303, false);
  assert.deepEqual(JSON.parse((await run(["share", "--json"])).stdout).invites, []);
});

test("a password comes from stdin or from two equal answers, and is never printed", async (t) => {
  const run = await deployed(t, "locked");
  const hash = async () => (await sharingOf("locked")).password_hash;
  const rows: [code: number, args: string[], options: RunOptions, changes: boolean][] = [
    [2, ["password"], {}, false],
    [2, ["password", "--stdin"], { input: "\n" }, false],
    [2, ["password"], { answers: ["open sesame", "open sesam"] }, false],
    [2, ["password"], { answers: [""] }, false],
    [2, ["password", "--clear", "--stdin"], { input: "x" }, false],
    [0, ["password"], { answers: ["open sesame", "open sesame"] }, true],
    [0, ["password", "--stdin"], { input: "open sesame\n" }, true],
    [0, ["password", "--set", "--stdin", "--json"], { input: "open sesame" }, true],
  ];
  for (const [code, args, options, changes] of rows) {
    const before = await hash();
    const outcome = await run(args, options);
    assert.equal(outcome.code, code, `${args.join(" ")}: ${outcome.stderr}`);
    assert.doesNotMatch(outcome.stdout + outcome.stderr, /sesam/);
    assert.equal((await hash()) !== before, changes, args.join(" "));
  }
  assert.ok(await service.passwords.verify("open sesame", String(await hash()), "ada"));
  assert.equal((await run(["password", "--clear"])).code, 0);
  assert.equal(await hash(), null);
});

test("a viewer sees the address and the owner alone, and changes nothing", async (t) => {
  const run = await deployed(t, "viewed");
  await run([
    "share",
    "--add",
    "vera@example.com",
    "--add",
    "other@example.com",
    "--invite",
    "g@example.com",
  ]);
  const vera = await signedIn(base, service, "vera@example.com");
  const shown = await run(["share", "-c", "viewed"], { env: vera });
  assert.equal(shown.code, 0, shown.stderr);
  assert.doesNotMatch(shown.stdout, /other@|g@example/);
  assert.equal((await run(["share", "--remove", "other@example.com"], { env: vera })).code, 2);
  assert.equal((await run(["share", "--access", "whole_org"], { env: vera })).code, 4);
  assert.equal((await run(["password", "--clear"], { env: vera })).code, 4);
  assert.equal((await sharingOf("viewed")).access, "private");
});
