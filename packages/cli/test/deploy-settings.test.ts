import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { createToken, upsertUser } from "@easel/server";
import { fileScope } from "../../server/test/support/service.ts";
import { addFiles, easel, folderWith, startSite } from "./support/easel.ts";

const { env, service } = await startSite(fileScope());

const PAGE = "<!doctype html><title>Page</title>";

/** Deploys a folder with the given easel.json, which must succeed. Returns the lines on stderr. */
async function deployed(folder: string, settings: object, ...flags: string[]): Promise<string> {
  await addFiles(folder, { "easel.json": JSON.stringify(settings) });
  const { code, stderr } = await easel(["deploy", ...flags, folder], { env });
  assert.equal(code, 0, stderr);
  return stderr;
}

test("the name of the folder becomes the slug; a later deploy keeps access and switches", async (t) => {
  const folder = await folderWith(t, "Geheime Übung (1)!", { "index.html": PAGE });
  const rows = () => service.db.all`
    select access, backend_enabled from canvases where slug = 'geheime-uebung-1'`;
  await deployed(folder, {}, "--access", "whole_org");
  assert.deepEqual(await rows(), [{ access: "whole_org", backend_enabled: 1 }]);
  await service.db.run`
    update canvases set access = 'private', backend_enabled = 0 where slug = 'geheime-uebung-1'`;
  await deployed(folder, {}, "--access", "whole_org");
  assert.deepEqual(await rows(), [{ access: "private", backend_enabled: 0 }]);
});

test("the first deploy turns on the capabilities in easel.json; later ones report those that are off, until --enable", async (t) => {
  const folder = await folderWith(t, "press", { "index.html": PAGE });
  const switches = async () => {
    const [row] = await service.db.all<Record<string, number>>`
      select backend_enabled, kv, files, ai, realtime, authoring from canvases where slug = 'press'`;
    return row;
  };
  const first = { backend_enabled: 1, kv: 1, files: 0, ai: 0, realtime: 0, authoring: 1 };
  const later = { capabilities: ["identity", "kv", "files", "ai"] };
  assert.doesNotMatch(await deployed(folder, { capabilities: ["identity", "kv", "authoring"] }), /Off on/);
  assert.deepEqual(await switches(), first);
  assert.match(await deployed(folder, later), /Off on this canvas, though easel\.json needs it: files, ai\./);
  assert.deepEqual(await switches(), first);
  await deployed(folder, later, "--enable");
  assert.deepEqual(await switches(), { ...first, files: 1, ai: 1 });
});

test("every deploy sets the audiences of easel.json; a token that may not only warns", async (t) => {
  const folder = await folderWith(t, "audiences", { "index.html": PAGE });
  const columns = () => service.db.get`
    select ai_audience, connections_audience, authoring_audience, guest_ai from canvases where slug = 'audiences'`;
  await deployed(folder, { aiAudience: "viewers", authoringAudience: "editors", guestAi: true });
  const expected = { ai_audience: "viewers", authoring_audience: "editors", guest_ai: 1 };
  assert.deepEqual(await columns(), { ...expected, connections_audience: "editors" });
  const later = await deployed(folder, { connectionsAudience: "viewers" });
  assert.match(later, /Settings changed: connectionsAudience\./);
  assert.deepEqual(await columns(), { ...expected, connections_audience: "viewers" });

  const user = (await upsertUser(service.db, "owner@example.com", null, service.clock())) ?? assert.fail();
  const { token } = await createToken(
    { user, credential: null },
    { name: "CI", expiresAt: null, scope: "deploy" },
    service,
  );
  await addFiles(folder, { "easel.json": JSON.stringify({ title: "By CI", aiAudience: "editors" }) });
  const byCi = await easel(["deploy", folder], { env: { ...env, EASEL_TOKEN: token } });
  assert.equal(byCi.code, 0, byCi.stderr);
  assert.match(byCi.stderr, /warning: easel\.json: aiAudience cannot be set: /);
  assert.deepEqual(await columns(), { ...expected, connections_audience: "viewers" });
});

test("a canvas keeps a slug that is reserved now", async (t) => {
  const folder = await folderWith(t, "gateway", { "index.html": PAGE });
  await deployed(folder, {});
  await service.db.run`update canvases set slug = 'mcp' where slug = 'gateway'`;
  await deployed(folder, { slug: "mcp" });
  assert.equal((await service.db.all`select id from canvases where slug = 'gateway'`).length, 0);
});

test("a page that needs nothing has no backend", async (t) => {
  await deployed(await folderWith(t, "plain", { "index.html": PAGE }), { capabilities: [] });
  const rows = await service.db.all`select backend_enabled from canvases where slug = 'plain'`;
  assert.deepEqual(rows, [{ backend_enabled: 0 }]);
});

test("every deploy sets title, spa and the sections of the policy that easel.json names, and no more", async (t) => {
  const folder = await folderWith(t, "ab", { "index.html": PAGE });
  const next = async (settings: object) => {
    await deployed(folder, { slug: "ideas", ...settings });
    const [row] = await service.db.all<Record<"title" | "spa" | "policy" | "revision", string>>`
      select title, spa, runtime_policy as policy, runtime_policy_revision as revision
      from canvases where slug = 'ideas'`;
    return row ?? assert.fail("no canvas");
  };
  const collections = { ideas: { preset: "personal" } };
  const first = await next({ title: "Our ideas", spa: true, policy: { collections } });
  assert.deepEqual([first.title, first.spa, JSON.parse(first.policy)], ["Our ideas", 1, { collections }]);
  const second = await next({ title: "All ideas", policy: { defaultMode: "collaboration" } });
  assert.deepEqual([second.title, second.spa], ["All ideas", 1]);
  assert.notEqual(second.revision, first.revision);
  assert.deepEqual(JSON.parse(second.policy), { collections, defaultMode: "collaboration" });
  assert.deepEqual(await next({ spa: false }), { ...second, spa: 0 });
});

test("EASEL_TOKEN is not sent to a service that only the folder names", async (t) => {
  let requests = 0;
  const other = createServer((_request, response) => {
    requests += 1;
    response.writeHead(404).end();
  });
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const project = { url, canvasId: "a", slug: "stolen", version: null };
  const folder = await folderWith(t, "stolen", {
    "index.html": PAGE,
    ".easel/project.json": JSON.stringify(project),
  });
  const { EASEL_TOKEN = "" } = env;
  for (const args of [["deploy"], ["versions"], ["list"], ["whoami"]]) {
    const { code, stderr } = await easel(args, { env: { EASEL_TOKEN }, cwd: folder });
    assert.deepEqual([code, requests], [2, 0], stderr);
    assert.match(stderr, /EASEL_URL/);
  }
  await easel(["list", "--url", url], { env: { EASEL_TOKEN }, cwd: folder });
  assert.equal(requests, 1);
});

/** Invalid texts of easel.json, and the error messages for them. */
const FAULTS: [text: string, lines: RegExp][] = [
  ["{", /easel\.json: not valid JSON: /],
  ["[]", /easel\.json: the content must be an object/],
  ['{"titel":"A"}', /easel\.json: `titel` is unknown; did you mean `title`\?/],
  [
    '{"policy":{"colections":{},"collections":{"a":{"preset":"personal","x":1}}}}',
    /easel\.json: `policy\.collections\.a\.x` is unknown\neasel\.json: `policy\.colections` is unknown; did you mean `collections`\?/,
  ],
  ['{"slug":"xn--a"}', /easel\.json: `slug` must not begin/],
];

test("a folder that cannot be deployed is reported without a stack trace, and creates no canvas", async (t) => {
  const canvases = () => service.db.all`select id from canvases order by id`;
  const asItWas = await canvases();
  const refused = async (folder: string, line: RegExp, code = 1) => {
    const outcome = await easel(["deploy", folder], { env });
    assert.deepEqual([outcome.code, outcome.stdout], [code, ""], outcome.stderr);
    assert.match(outcome.stderr, line);
    assert.doesNotMatch(outcome.stderr, /bug of easel|\n {4}at /);
  };
  for (const [text, lines] of FAULTS)
    await refused(await folderWith(t, "faulty", { "index.html": PAGE, "easel.json": text }), lines);
  await refused(await folderWith(t, "odd", { "index.html": PAGE, "a\tb": "" }), /path .* characters/);
  await refused(await folderWith(t, "!!", { "index.html": "" }), /makes no slug/, 2);
  const reserved = { "index.html": PAGE, "easel.json": '{"slug":"wpad"}' };
  await refused(await folderWith(t, "tea", reserved), /The slug `wpad`.* reserved/, 2);
  const proof = { "index.html": PAGE, ".well-known/acme-challenge/token": "proof" };
  await refused(await folderWith(t, "proof", proof), /reserved for proofs to certificate authorities/);
  const file = path.join(await folderWith(t, "a-file", { "index.html": PAGE }), "index.html");
  await refused(file, /is not a folder/, 2);
  assert.deepEqual(await canvases(), asItWas);
});
