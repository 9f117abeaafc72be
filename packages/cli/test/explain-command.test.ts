import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCESS_RULES } from "@easel/protocol/management";
import { fileScope } from "../../server/test/support/service.ts";
import { easel, folderWith, startSite } from "./support/easel.ts";

const scope = fileScope();
const { env } = await startSite(scope, { SERVICE_RATELIMIT_ENABLED: "false" });
const cwd = await folderWith(scope, "explained", { "index.html": "<!doctype html><title>Page</title>" });
const run = (...args: string[]) => easel(args, { cwd, env });
const deployed = await run("deploy");
assert.equal(deployed.code, 0, deployed.stderr);

test("explain says whether a person gets in, by which rule, and what they may do", async () => {
  await run("share", "--access", "private", "--add", "ada@example.com");
  const open = await run("explain", " Ada@example.com");
  assert.equal(open.code, 0, open.stderr);
  assert.match(
    open.stdout,
    /^ada@example\.com opens the pages and uses the backend, as viewer\.\n\nRULE +OUTCOME +BECAUSE\n/,
  );
  for (const rule of ACCESS_RULES)
    assert.match(open.stdout, new RegExp(`^${rule} +passed +[A-Z].*\\.$`, "m"));
  assert.match(
    open.stdout,
    /\n\nRole by the people list \(viewer\)\nPermissions: canReadSharedData, .*canSubmit/,
  );
  const closed = await run("explain", "bob@example.com");
  assert.equal(closed.code, 0);
  const [verdict, because] = closed.stdout.split("\n");
  assert.equal(verdict, "bob@example.com cannot open the canvas (OWNER_ONLY).");
  assert.match(String(because), /^Neither the people list nor a team of the canvas includes them/);
  assert.match(closed.stdout, /^rung +refused .*\nexpired +not reached /m);
  assert.doesNotMatch(closed.stdout, /Role by|Permissions:/);
});

test("explain prints the response of the service as JSON", async () => {
  const { code, stdout } = await run("explain", "owner@example.com", "--json");
  assert.equal(code, 0);
  const { subject, role, grants, steps } = JSON.parse(stdout);
  assert.deepEqual(
    [subject.kind, role, grants, steps.length],
    ["member", "owner", [{ via: "owner", role: "owner" }], ACCESS_RULES.length],
  );
});

test("explain tells pages from the backend", async () => {
  await run("share", "--access", "public_link");
  const anonymous = await run("explain", "--anonymous");
  assert.match(
    anonymous.stdout,
    /^Somebody who is not signed in opens the pages, and cannot use the backend \(STATIC_ONLY\)\.\n/,
  );
  assert.match(anonymous.stdout, /\nRole by the Public link \(viewer\)\n/);
  await run("share", "--access", "private");
});

test("explain --guest asks about the guest of an invitation", async () => {
  await run("share", "--invite", "guest@example.com");
  const guest = await run("explain", "Guest@example.com", "--guest");
  assert.match(guest.stdout, /^Guest \(guest@example\.com\) opens the pages .* as viewer\.\n/);
  assert.match(guest.stdout, /\nRole by an invitation \(viewer\)\n/);
  const member = await run("explain", "guest@example.com");
  assert.match(member.stdout, /OWNER_ONLY/);
  const unknown = await run("explain", "ada@example.com", "--guest");
  assert.equal(unknown.code, 4);
  assert.match(unknown.stderr, /not a guest of this canvas/);
});

test("explain needs exactly one person", async () => {
  const wrong = [
    [],
    ["--guest"],
    ["--anonymous", "--guest"],
    ["ada@example.com", "--anonymous"],
    ["ada@example.com", "--anonymous", "--guest"],
  ];
  for (const args of wrong) {
    const { code, stdout, stderr } = await run("explain", ...args);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, /Give an e-mail address, .*--anonymous/);
  }
  const { code, stderr } = await run("explain", "lunch");
  assert.equal(code, 1);
  assert.match(stderr, /not an e-mail address/);
});
