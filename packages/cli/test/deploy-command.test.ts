import assert from "node:assert/strict";
import { rm, symlink } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { createToken, upsertUser } from "@easel/server";
import { fileScope } from "../../server/test/support/service.ts";
import { addFiles, easel, folderWith, signedIn, startSite } from "./support/easel.ts";

const { base, env, service } = await startSite(fileScope());

const canvasRows = (slug: string) =>
  service.db.all<{ access: string; backend_enabled: number; version_id: string | null }>`
    select access, backend_enabled, version_id from canvases where slug = ${slug} and deleted_at is null`;

const PAGE = "<!doctype html><title>Page</title>";

test("the first deploy creates a canvas that only its owner may open, and prints only the address", async (t) => {
  const folder = await folderWith(t, "First app", { "index.html": PAGE });
  const { code, stdout, stderr } = await easel(["deploy", folder], { env });
  assert.deepEqual([code, stdout], [0, `${base}/c/first-app/\n`], stderr);
  assert.match(stderr, /Only you may enter/);
  const [row] = await canvasRows("first-app");
  assert.deepEqual([row?.access, row?.backend_enabled], ["private", 1]);
});

test("a second deploy sends only the file that changed", async (t) => {
  const folder = await folderWith(t, "changing", { "index.html": PAGE, "a.css": "a{}", "b.css": "b{}" });
  const first = JSON.parse((await easel(["deploy", "--json", folder], { env })).stdout);
  assert.deepEqual([first.created, first.files, first.sent], [true, 3, 3]);
  await addFiles(folder, { "b.css": "b{color:red}" });
  const second = JSON.parse((await easel(["deploy", "--json", folder], { env })).stdout);
  assert.deepEqual([second.created, second.files, second.sent], [false, 3, 1]);
  assert.notEqual(second.version, first.version);
});

test("a deploy without changes says so, and makes no version, no policy revision and no audit row", async (t) => {
  const settings = { title: "Same", policy: { collections: { ideas: { preset: "contributions" } } } };
  const files = { "index.html": PAGE, "easel.json": JSON.stringify(settings), "a.css": "a{}" };
  const folder = await folderWith(t, "unchanged", files);
  const first = await easel(["deploy", folder], { env });
  assert.match(
    first.stderr,
    /^Published “Same”: 3 files, \d+ bytes, in \d+\.\d s\.\nOff: ai\. .*SERVICE_AI_API_KEY\.\nOnly you may enter/m,
  );
  const rows = () =>
    service.db.all`select version_id, runtime_policy_revision, canvases.updated_at,
      (select count(*) from versions where canvas_id = canvases.id) as versions,
      (select count(*) from audit where canvas_id = canvases.id) as audit,
      (select count(*) from staged_deploys where canvas_id = canvases.id) as staged
    from canvases where slug = 'unchanged'`;
  const before = await rows();
  const same = await easel(["deploy", folder, "--json"], { env });
  assert.match(
    same.stderr,
    /^Nothing has changed: the published version has these files already\.\nOnly you/,
  );
  const { published, sent, changed, settings: applied } = JSON.parse(same.stdout);
  assert.deepEqual([published, sent, applied], [false, 0, []]);
  assert.deepEqual(changed, { added: 0, changed: 0, removed: 0 });
  // As in CI, which has no project of the folder.
  await rm(path.join(folder, ".easel"), { recursive: true });
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  assert.deepEqual(await rows(), before);

  await addFiles(folder, {
    "a.css": "b{}",
    "b.css": "",
    "easel.json": JSON.stringify({ ...settings, title: "New" }),
  });
  const third = await easel(["deploy", folder], { env });
  assert.match(third.stderr, /new version of “New”: 1 file added, 2 changed \(4 files, .* in all\)/);
  assert.match(third.stderr, /^Settings changed: title\.$/m);
  assert.notDeepEqual(await rows(), before);
});

test("a release that is published already is not published again, except with --force", async (t) => {
  const folder = await folderWith(t, "released", { "index.html": PAGE });
  const deployed = async (...flags: string[]) => {
    const { stdout, stderr } = await easel(["deploy", folder, "--json", ...flags], { env });
    const { published, version } = JSON.parse(stdout);
    return { published, version, stderr };
  };
  const first = await deployed("--release", "c0ffee");
  assert.equal(first.published, true);
  // Another build of the same commit, on a computer that knows no version.
  await addFiles(folder, { "built.txt": "at another time" });
  await rm(path.join(folder, ".easel"), { recursive: true });
  const second = await deployed("--release", "c0ffee");
  assert.deepEqual([second.published, second.version], [false, first.version]);
  assert.match(second.stderr, /^Nothing was published: the release c0ffee is published already\.$/m);
  assert.equal((await deployed("--release", "c0ffee", "--force")).published, true);
  await addFiles(folder, { "built.txt": "later" });
  assert.equal((await deployed("--release", "beef")).published, true);
});

test("an unpublished canvas is published again by the same files", async (t) => {
  const folder = await folderWith(t, "offline", { "index.html": PAGE });
  await easel(["deploy", folder], { env });
  await service.db.run`update canvases set revoked_at = 1 where slug = 'offline'`;
  const again = await easel(["deploy", folder, "--json"], { env });
  assert.equal(JSON.parse(again.stdout).published, true, again.stderr);
});

/** Deploys with whole_org or a Public link: flags, easel.json, whether the canvas is listed, and what is said. */
const LISTINGS: [flags: string[], settings: object, listed: boolean, says: RegExp][] = [
  [["--access", "whole_org"], {}, true, /listed on their home pages; .*--unlisted/],
  [["--access", "whole_org", "--unlisted"], {}, false, /on nobody's home page/],
  [["--access", "whole_org"], { listed: false }, false, /on nobody's home page/],
  [["--access", "public_link"], {}, false, /backend works for the owner and editors only/],
  [[], {}, false, /Only you may enter/],
];

for (const [at, [flags, settings, listed, says]] of LISTINGS.entries())
  test(`deploy ${flags.join(" ")} with ${JSON.stringify(settings)}: ${listed ? "listed" : "not listed"}`, async (t) => {
    const files = { "index.html": PAGE, "easel.json": JSON.stringify(settings) };
    const folder = await folderWith(t, `listing-${at}`, files);
    const { stdout, stderr } = await easel(["deploy", folder, ...flags, "--json"], { env });
    assert.equal(JSON.parse(stdout).listed, listed);
    assert.match(stderr, says);
    if (!listed || settings === undefined) return;
    await addFiles(folder, { "easel.json": '{"listed":false}' });
    const later = await easel(["deploy", folder, "--json"], { env });
    assert.deepEqual(
      [JSON.parse(later.stdout).listed, JSON.parse(later.stdout).settings],
      [false, ["listed"]],
    );
  });

test("dot files, links and node_modules are left out and named", async (t) => {
  const folder = await folderWith(t, "littered", {
    "index.html": PAGE,
    ".env": "SECRET=1",
    ".git/config": "",
    "node_modules/x/index.js": "",
    ".well-known/a.txt": "a",
  });
  await symlink("/etc/passwd", path.join(folder, "passwd"));
  const { stdout } = await easel(["deploy", "--json", folder], { env });
  const { files, leftOut } = JSON.parse(stdout);
  assert.equal(files, 2);
  assert.deepEqual(leftOut.map((each: { path: string }) => each.path).sort(), [
    ".env",
    ".git/",
    "node_modules/",
    "passwd",
  ]);
});

test("a deploy warns of paths that other systems cannot hold", async (t) => {
  const names = ["aux.js", "what?.txt", "Assets/a.css", "assets/b.css"];
  const files = Object.fromEntries(names.map((name) => [name, name]));
  const folder = await folderWith(t, "unportable", { "index.html": PAGE, ...files });
  const { code, stdout, stderr } = await easel(["deploy", "--json", folder], { env });
  assert.equal(code, 0, stderr);
  const { warnings } = JSON.parse(stdout);
  for (const says of [
    /`aux\.js` has the name of a device/,
    /`what\?\.txt` has characters/,
    /`assets\/b\.css` is the same as `Assets\/`/,
  ]) {
    assert.equal(warnings.filter((each: string) => says.test(each)).length, 1, String(says));
    assert.match(stderr, says);
  }
});

test("a folder without any file to publish has no index.html", async (t) => {
  const folder = await folderWith(t, "empty", { ".env": "SECRET=1" });
  const { code, stderr } = await easel(["deploy", folder], { env });
  assert.equal(code, 1);
  assert.match(stderr, /empty has no index\.html/);
});

test("--access says that it does not change a canvas that exists", async (t) => {
  const folder = await folderWith(t, "kept", { "index.html": PAGE });
  await easel(["deploy", folder, "--access", "whole_org"], { env });
  const same = await easel(["deploy", folder, "--access", "whole_org"], { env });
  assert.match(same.stderr, /^Nothing has changed: .*\nEveryone who can sign in may enter\.\n/);
  const other = await easel(["deploy", folder, "--access", "private"], { env });
  assert.deepEqual([other.code, other.stdout], [0, `${base}/c/kept/\n`]);
  assert.match(other.stderr, /Who may enter stays whole_org: --access is for new canvases/);
  assert.equal((await canvasRows("kept"))[0]?.access, "whole_org");
});

test("a deploy token makes private canvases only, and one for a single canvas makes none", async (t) => {
  const user = await upsertUser(service.db, "owner@example.com", null, service.clock());
  assert.ok(user);
  const folder = await folderWith(t, "by-token", { "index.html": PAGE });
  const run = async (canvasId: string | null, ...args: string[]) => {
    const token = await createToken(
      { user, credential: null },
      { name: "CI", expiresAt: null, scope: "deploy", canvasId },
      service,
    );
    return easel(["deploy", folder, ...args], { env: { ...env, EASEL_TOKEN: token.token } });
  };
  const open = await run(null, "--access", "whole_org");
  assert.equal(open.code, 4);
  assert.match(open.stderr, /--access whole_org is refused: .*\n.*--access private/);
  assert.deepEqual(await canvasRows("by-token"), []);
  assert.equal((await run(null)).code, 0);
  const { id } =
    (await service.db.get<{ id: string }>`select id from canvases where slug = 'by-token'`) ?? {};
  const other = await run(id ?? "", "--slug", "by-token-2");
  assert.equal(other.code, 4);
  assert.match(other.stderr, /no canvas `by-token-2`, and may not create one: .*\n.*--slug/);
});

test("--dry-run lists what would be sent and changes nothing", async (t) => {
  const folder = await folderWith(t, "dry", { "index.html": PAGE, "a.css": "a{}" });
  const first = await easel(["deploy", "--dry-run", folder], { env });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /send +a\.css/);
  assert.deepEqual(await canvasRows("dry"), []);
  await easel(["deploy", folder], { env });
  await addFiles(folder, { "a.css": "a{color:red}" });
  const [row] = await canvasRows("dry");
  // One run more than a canvas may have unfinished staged deploys.
  for (let run = 0; run < 11; run += 1) {
    const { stdout } = await easel(["deploy", "--dry-run", "--json", folder], { env });
    assert.deepEqual(JSON.parse(stdout).sent, [{ path: "a.css", size: 12 }]);
  }
  assert.deepEqual(await canvasRows("dry"), [row]);
});

test("a deploy by someone else in the meantime is a conflict that names the person; --force publishes over it", async (t) => {
  const folder = await folderWith(t, "shared-app", { "index.html": PAGE });
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  await service.db.run`insert into canvas_people (canvas_id, email, role)
    select id, 'bea@example.com', 'editor' from canvases where slug = 'shared-app'`;
  const other = await folderWith(t, "theirs", { "index.html": "<title>Theirs</title>" });
  const bea = await signedIn(base, service, "bea@example.com");
  const theirs = await easel(["deploy", other, "--slug", "shared-app", "-m", "new colours"], { env: bea });
  assert.equal(theirs.code, 0, theirs.stderr);
  const [row] = await canvasRows("shared-app");
  const refused = await easel(["deploy", folder], { env });
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /bea.* deployed .*“new colours”[\s\S]*--force/i);
  assert.deepEqual(await canvasRows("shared-app"), [row]);
  assert.equal((await easel(["deploy", "--force", folder], { env })).code, 0);
});

test("a first deploy that fails leaves no canvas", async (t) => {
  const folder = await folderWith(t, "failing", { "index.html": PAGE, "easel.json": "{}" });
  await service.db.run`update users set can_publish_public = 0 where email = 'owner@example.com'`;
  const { code, stderr } = await easel(["deploy", "--access", "public_link", folder], { env });
  await service.db.run`update users set can_publish_public = 1 where email = 'owner@example.com'`;
  assert.ok(code === 1 || code === 4, stderr);
  assert.deepEqual(await canvasRows("failing"), []);
});

test("exit codes", async (t) => {
  const folder = await folderWith(t, "codes", { "index.html": PAGE });
  const rows: [code: number, args: string[], env: Record<string, string>][] = [
    [2, ["deploy", folder, "--nonsense"], env],
    [2, ["deploy", path.join(folder, "missing")], env],
    [2, ["deploy", folder, "--slug", "A"], env],
    [2, ["deploy", folder], {}],
    [2, ["deploy", folder], { ...env, EASEL_URL: "ftp://example.com" }],
    [3, ["deploy", folder], { EASEL_URL: base }],
    [3, ["deploy", folder], { ...env, EASEL_TOKEN: `easel_pat_${"x".repeat(43)}` }],
    [1, ["deploy", await folderWith(t, "no-page", { "a.css": "" })], env],
  ];
  for (const [code, args, variables] of rows) {
    const outcome = await easel(args, { env: variables });
    assert.equal(outcome.code, code, `${args.join(" ")}: ${outcome.stderr}`);
    assert.equal(outcome.stdout, "");
    assert.doesNotMatch(outcome.stderr, /bug of easel/);
  }
});

test("with --json an error is a document, too; the text for people is on stderr", async (t) => {
  const folder = await folderWith(t, "no-page-json", { "a.css": "" });
  const rows: [args: string[], exit: number, error: object][] = [
    [
      ["deploy", folder],
      1,
      { code: null, hint: "Is it the right folder? A build is often in dist or build." },
    ],
    [["open", "-c", "none"], 4, { code: null, hint: "`easel list` shows your canvases." }],
    [["versions", "-c", "x".repeat(20)], 4, { code: "NOT_FOUND", hint: null }],
  ];
  for (const [args, exit, expected] of rows) {
    const { code, stdout, stderr } = await easel([...args, "--json"], { env });
    const { message, ...error } = JSON.parse(stdout).error;
    assert.deepEqual([code, error], [exit, { ...expected, exit }]);
    assert.ok(stderr.includes(`error: ${message}`), stderr);
  }
});

test("--no-publish stores a version and prints a link to its preview; rollback publishes it", async (t) => {
  const settings = { title: "Kept", slug: "kept-back" };
  const files = { "index.html": PAGE, "easel.json": JSON.stringify(settings) };
  const folder = await folderWith(t, "kept", files);
  const first = JSON.parse((await easel(["deploy", "--json", folder], { env })).stdout);
  await addFiles(folder, { "a.css": "a{}", "easel.json": JSON.stringify({ ...settings, title: "Later" }) });
  const [row] = await canvasRows("kept-back");
  const kept = await easel(["deploy", "--no-publish", "-m", "Try this", folder], { env });
  assert.equal(kept.code, 0, kept.stderr);
  assert.ok(kept.stdout.startsWith(`${base}/c/kept-back/__preview?code=`), kept.stdout);
  assert.match(
    kept.stderr,
    /Stored a version of “Kept”, and published nothing\..* `easel rollback [0-9a-f]{12}` publishes it/,
  );
  assert.deepEqual(await canvasRows("kept-back"), [row]);
  const versions = JSON.parse((await easel(["versions", "--json"], { cwd: folder, env })).stdout);
  assert.deepEqual(
    versions.map(({ current, published, message }: Record<string, unknown>) => [current, published, message]),
    [
      [false, false, "Try this"],
      [true, true, null],
    ],
  );
  assert.match((await easel(["versions"], { cwd: folder, env })).stdout, /not published: Try this/);

  const { stored, preview, published, version } = JSON.parse(
    (await easel(["deploy", "--no-publish", "--json", folder], { env })).stdout,
  );
  assert.deepEqual([published, version], [false, first.version]);
  assert.ok(preview.startsWith(`${base}/c/kept-back/__preview?code=`));
  const back = JSON.parse(
    (await easel(["rollback", stored.slice(-12), "--yes", "--json"], { cwd: folder, env })).stdout,
  );
  assert.deepEqual([back.version, back.previous], [stored, first.version]);
  // The version that was never published is passed over.
  const previous = JSON.parse((await easel(["rollback", "--yes", "--json"], { cwd: folder, env })).stdout);
  assert.equal(previous.version, first.version);
});

test("--no-publish of a new canvas leaves a draft; without a change it stores nothing", async (t) => {
  const folder = await folderWith(t, "kept-draft", { "index.html": PAGE });
  const { code, stderr } = await easel(["deploy", "--no-publish", folder], { env });
  assert.equal(code, 0, stderr);
  assert.equal((await canvasRows("kept-draft"))[0]?.version_id, null);
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  const [row] = await canvasRows("kept-draft");
  const same = JSON.parse((await easel(["deploy", "--no-publish", "--json", folder], { env })).stdout);
  assert.deepEqual([same.published, same.stored, same.version], [false, null, row?.version_id]);
});
