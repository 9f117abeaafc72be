import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, it, test } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import type { Answer } from "@easel/conformance/http";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import type { ErrorCode } from "@easel/protocol/errors";
import type { UploadedFiles } from "@easel/protocol/types";
import { TaskPool } from "../../src/async/task-pool.ts";
import { sweepStaged } from "../../src/canvases/staged-deploys.ts";
import { sweepBlobs } from "../../src/canvases/sweep.ts";
import { sweepVersions } from "../../src/canvases/version-files.ts";
import { keysOf } from "../drivers/blobs-contract.ts";
import { onEngines, startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { manifestOf, sha256, stager } from "../support/staged.ts";
import { recount } from "../support/stored-bytes.ts";

const HOUR_MS = 60 * 60 * 1000;

await onEngines("staged deploys", (target, env) => {
  // In one process, the deploys of a person wait for each other. Here they run at once, as they do in several processes.
  env.deploys = new TaskPool({ running: 8, runningEach: 8, waitingEach: 8 });
  let site: Stage;
  let deploys: ReturnType<typeof stager>;
  before(async () => {
    site = await stage(target);
    deploys = stager(target, site.people.owner, site.id);
  });

  const page = () => `<p>${randomBytes(20).toString("hex")} ${"and words ".repeat(100)}`;
  const started = async (answer: Promise<Answer>) => {
    const { status, json, text } = await answer;
    assert.equal(status, 201, text);
    return json as unknown as { id: string; missing: string[]; leftOut: object[]; warnings: string[] };
  };
  const done = (answer: Answer): string => {
    assert.equal(answer.status, 200, answer.text);
    return String(answer.json.version);
  };
  const served = async (path = "") => (await visit(target, site.slug, site.people.viewer, path)).text;
  const swept = () => sweepBlobs({ ...env, clock: () => Date.now() + 2 * HOUR_MS });
  const settled = () => env.compressions.settled();
  /** Returns the blobs of the canvas with their uses, without those that the sweep removes. */
  const uses = async () => {
    await settled();
    return env.db.all`
      select blob_key, uses from bundle_blobs where canvas_id = ${site.id} and uses > 0 order by blob_key`;
  };
  const bytes = async () =>
    Number(
      (await env.db.get<{ bytes: number }>`select bytes from bundle_bytes where canvas_id = ${site.id}`)
        ?.bytes,
    );
  /** Runs all sweeps: removes the staged deploys that have expired at `time`, and then the versions and blobs that nothing needs. */
  const sweepAt = async (time: number) => {
    await sweepStaged({ ...env, clock: () => time });
    await sweepVersions(Date.now() + 1, env);
    await sweepBlobs({ ...env, clock: () => Date.now() + 3 * HOUR_MS });
  };
  const expire = () => sweepAt(Date.now() + HOUR_MS + 1);

  it("uploads what is missing, publishes, and then misses only what changed", async () => {
    const files = { "index.html": page(), "a/b.txt": page(), "a/c.txt": page(), "empty.txt": "" };
    const { id, missing, leftOut, warnings } = await started(deploys.begin(files, { message: "First" }));
    assert.deepEqual(
      missing,
      manifestOf(files)
        .map(({ sha256 }) => sha256)
        .sort(),
    );
    assert.deepEqual([leftOut, warnings], [[], []]);
    for (const content of Object.values(files)) {
      const { status, text } = await deploys.upload(id, content);
      assert.deepEqual({ status, text }, { status: 204, text: "" });
    }
    const version = done(await deploys.finish(id));
    for (const [path, content] of Object.entries(files)) assert.equal(await served(path), content);
    const { json } = await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}/versions`);
    const [newest] = json.versions as unknown as Record<string, unknown>[];
    assert.partialDeepStrictEqual(newest, { id: version, message: "First", files: 4, current: true });

    const next = { ...files, "a/b.txt": page() };
    const second = await started(deploys.begin(next));
    assert.deepEqual(second.missing, [sha256(next["a/b.txt"])]);
    assert.equal((await deploys.upload(second.id, next["a/b.txt"])).status, 204);
    done(await deploys.finish(second.id));
    assert.equal(await served("a/b.txt"), next["a/b.txt"]);
    assert.equal(await served("a/c.txt"), files["a/c.txt"]);
  });

  it("a proof to a certificate authority is refused before anything is uploaded", async () => {
    const answer = await deploys.begin({ "index.html": page(), ".well-known/acme-challenge/token": "proof" });
    refused(answer, 400, "INVALID_BODY");
    assert.match(String(answer.json.message), /acme-challenge\/token` is reserved for proofs/);
  });

  it("each request may be sent again, and concurrently: one version, each blob counted once", async () => {
    const files = { "index.html": page(), "copy.html": page() };
    const { id } = await started(deploys.begin(files));
    for (const content of Object.values(files)) {
      const answers = await Promise.all([1, 2, 3].map(() => deploys.upload(id, content)));
      for (const { status } of answers) assert.equal(status, 204);
      assert.equal((await deploys.upload(id, content)).status, 204);
    }
    const versions = (await Promise.all([1, 2, 3].map(() => deploys.finish(id)))).map(done);
    versions.push(done(await deploys.finish(id)));
    assert.equal(new Set(versions).size, 1);
    const rows = await env.db.all`
      select id from versions where canvas_id = ${site.id} and state = 'stored' and id >= ${versions[0] as string}`;
    assert.equal(rows.length, 1);
    assert.deepEqual(await env.db.all`select deploy_id from staged_blobs where deploy_id = ${id}`, []);
    await sweepVersions(Date.now() + 1, env);
    await settled();
    assert.equal(await recount(site.id, env), await bytes());
    const found = await env.db.all<{ uses: number }>`
      select uses from bundle_blobs where canvas_id = ${site.id} and blob_key = ${sha256(files["index.html"])}`;
    assert.deepEqual(found, [{ uses: 1 }]);
  });

  it("says what is still missing; cancelled, it is gone and its bytes are given up", async () => {
    await expire();
    await settled();
    const [before, bytesBefore] = [await uses(), await bytes()];
    const [one, other] = [page(), page()];
    const { id } = await started(deploys.begin({ "index.html": one, "b.html": other }));
    await deploys.upload(id, one);
    assert.deepEqual((await deploys.read(id)).json, { missing: [sha256(other)] });
    const editor = stager(target, site.people.editor, site.id);
    for (const answer of [await editor.read(id), await editor.cancel(id)]) refused(answer, 404, "NOT_FOUND");
    assert.equal((await deploys.cancel(id)).status, 204);
    for (const answer of [await deploys.read(id), await deploys.cancel(id), await deploys.finish(id)])
      refused(answer, 404, "NOT_FOUND");
    refused(await deploys.upload(id, other), 404, "NOT_FOUND");
    assert.deepEqual(await env.db.all`select id from staged_deploys where id = ${id}`, []);
    await swept();
    assert.deepEqual([await uses(), await bytes()], [before, bytesBefore]);
    const published = await started(deploys.begin({ "index.html": "published" }));
    await deploys.upload(published.id, "published");
    done(await deploys.finish(published.id));
    for (const answer of [await deploys.read(published.id), await deploys.cancel(published.id)])
      refused(answer, 404, "NOT_FOUND");
  });

  it("finishing without all bytes: 409 BLOBS_MISSING with their hashes; nothing is published", async () => {
    const before = await served();
    const files = { "index.html": page(), "late.txt": page() };
    const { id } = await started(deploys.begin(files));
    assert.equal((await deploys.upload(id, files["index.html"])).status, 204);
    const answer = await deploys.finish(id);
    refused(answer, 409, "BLOBS_MISSING");
    assert.deepEqual(answer.json.missing, [sha256(files["late.txt"])]);
    assert.equal(await served(), before);
    assert.equal((await deploys.upload(id, files["late.txt"])).status, 204);
    done(await deploys.finish(id));
    assert.equal(await served("late.txt"), files["late.txt"]);
  });

  it("bytes with another hash, too short or too long: 400, and nothing is stored", async () => {
    const content = page();
    const { id } = await started(deploys.begin({ "index.html": content }));
    const hash = sha256(content);
    const state = async () => {
      await settled();
      await swept();
      return [await uses(), await bytes(), await keysOf(env.blobs)];
    };
    const asItWas = await state();
    const bad = [content.replace("<p>", "<q>"), content.slice(1), `${content}x`, "", page().repeat(50)];
    for (const body of bad) refused(await deploys.put(id, hash, body), 400, "INVALID_BODY");
    assert.deepEqual(await state(), asItWas);
    assert.equal((await deploys.upload(id, content)).status, 204);
    refused(await deploys.put(id, hash, `${content}x`), 400, "INVALID_BODY");
    assert.equal((await deploys.finish(id)).status, 200);
  });

  const named = (contents: string[]): [string, string][] =>
    contents.map((content) => [sha256(content), content]);
  const uploadedOf = (answer: Answer) => {
    assert.equal(answer.status, 200, answer.text);
    const { uploaded, refused } = answer.json as unknown as UploadedFiles;
    return {
      uploaded: uploaded.toSorted(),
      refused: refused.map(({ sha256, code }) => [sha256, code]).sort(),
    };
  };
  const hashesOf = (contents: string[]) => contents.map(sha256).sort();

  it("a form with files of which some are refused: the others are stored, and the refused ones are missing", async () => {
    const [good, changed, longer, other] = [page(), page(), page(), page()];
    const { id } = await started(deploys.begin({ "index.html": good, "b.txt": changed, "c.txt": longer }));
    const parts: [string, string][] = [
      [sha256(good), good],
      [sha256(changed), changed.replace("<p>", "<q>")],
      [sha256(longer), `${longer}x`],
      [sha256(other), other],
    ];
    const expected = {
      uploaded: [sha256(good)],
      refused: [
        [sha256(changed), "INVALID_BODY"],
        [sha256(longer), "INVALID_BODY"],
        [sha256(other), "NOT_FOUND"],
      ].sort(),
    };
    assert.deepEqual(uploadedOf(await deploys.uploadAll(id, parts)), expected);
    assert.deepEqual((await deploys.read(id)).json, { missing: hashesOf([changed, longer]) });
    assert.deepEqual(uploadedOf(await deploys.uploadAll(id, parts)), expected);
    const bad = await deploys.uploadAll(id, [
      [sha256(good), good.replace("<p>", "<q>")],
      [sha256(changed), changed],
    ]);
    assert.deepEqual(uploadedOf(bad), {
      uploaded: [sha256(changed)],
      refused: [[sha256(good), "INVALID_BODY"]],
    });
    assert.equal((await deploys.upload(id, longer)).status, 204);
    done(await deploys.finish(id));
    assert.equal(await served(), good);
    assert.equal(await env.blobs.get(sha256(other)), null);
  });

  it("forms with the same files at once, and sent again: each file is counted once", async () => {
    const contents = Array.from({ length: 30 }, page);
    const files = Object.fromEntries(contents.map((content, n) => [`${n}.txt`, content]));
    const { id } = await started(deploys.begin(files));
    const send = (from: number, to: number) => deploys.uploadAll(id, named(contents.slice(from, to)));
    const answers = await Promise.all([send(0, 20), send(10, 30), send(5, 25), send(0, 30)]);
    for (const answer of [...answers, await send(0, 30)]) assert.deepEqual(uploadedOf(answer).refused, []);
    assert.deepEqual((await deploys.read(id)).json, { missing: [] });
    const rows = await env.db.all<{ uses: number }>`
      select uses from bundle_blobs join staged_blobs on staged_blobs.blob_key = bundle_blobs.blob_key
      where canvas_id = ${site.id} and deploy_id = ${id}`;
    assert.deepEqual(
      rows.map(({ uses }) => uses),
      contents.map(() => 1),
    );
    assert.equal(await bytes(), await recount(site.id, env));
    await expire();
  });

  const CONTENT = "a file of a form";
  const HASH = sha256(CONTENT);
  const BOUNDARY = "----boundary";
  const part = (name: string, content: string) =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"; filename="a"\r\n\r\n${content}\r\n`;
  const END = `--${BOUNDARY}--\r\n`;
  const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
  for (const [name, type, body, status = 400, code = "INVALID_BODY"] of [
    ["no form", "application/octet-stream", CONTENT],
    ["no boundary", "multipart/form-data", part(HASH, CONTENT) + END],
    ["an empty body", MULTIPART, ""],
    ["no end", MULTIPART, part(HASH, CONTENT)],
    ["a part that is cut off", MULTIPART, part(HASH, CONTENT).slice(0, -4)],
    ["a part without a name", MULTIPART, `--${BOUNDARY}\r\nx: y\r\n\r\n${CONTENT}\r\n${END}`],
    ["a name that is no hash", MULTIPART, part(HASH, CONTENT) + part("../../x", CONTENT) + END],
    ["a hash in capitals", MULTIPART, part(HASH.toUpperCase(), CONTENT) + END],
    ["a file twice", MULTIPART, part(HASH, CONTENT) + part(HASH, CONTENT) + END],
    ["251 files", MULTIPART, Array.from({ length: 251 }, (_, n) => part(sha256(`${n}`), "")).join("") + END],
    ["a long header", MULTIPART, part(`${HASH}${"x".repeat(70_000)}`, CONTENT) + END],
    ["too many bytes", MULTIPART, part(HASH, "x".repeat(2 ** 20 + 1)) + END, 413, "BODY_TOO_LARGE"],
    [
      "too many bytes of all files together",
      MULTIPART,
      part(HASH, "x".repeat(2 ** 19)) + part(sha256("b"), "x".repeat(2 ** 19 + 1)) + END,
      413,
      "BODY_TOO_LARGE",
    ],
    ["an announced length that is too large", MULTIPART, "x".repeat(2 ** 21), 413, "BODY_TOO_LARGE"],
    ["only files that are not of the deploy", MULTIPART, part(sha256("b"), "b") + END, 404, "NOT_FOUND"],
    ["no part", MULTIPART, END, 404, "NOT_FOUND"],
  ] as [name: string, type: string, body: string, status?: number, code?: ErrorCode][])
    it(`a form with ${name}: ${status} ${code}, and nothing is stored`, async () => {
      const { id } = await started(deploys.begin({ "index.html": CONTENT }));
      const state = async () => [await keysOf(env.blobs), await bytes(), (await deploys.read(id)).json];
      await settled();
      const asItWas = await state();
      refused(await deploys.sendForm(id, type, body), status, code);
      assert.deepEqual(await state(), asItWas);
      assert.deepEqual(uploadedOf(await deploys.sendForm(id, MULTIPART, part(HASH, CONTENT) + END)), {
        uploaded: [HASH],
        refused: [],
      });
      await deploys.cancel(id);
      await sweepAt(Date.now());
    });

  it("a form for a deploy of another editor, a deploy that has ended, and from a viewer is refused", async () => {
    const { id } = await started(deploys.begin({ "index.html": CONTENT }));
    const as = (person: "editor" | "viewer") => stager(target, site.people[person], site.id);
    refused(await as("editor").uploadAll(id, named([CONTENT])), 404, "NOT_FOUND");
    refused(await as("viewer").uploadAll(id, named([CONTENT])), 403, "PERMISSION_DENIED");
    refused(await deploys.uploadAll("none", named([CONTENT])), 404, "NOT_FOUND");
    await deploys.cancel(id);
    refused(await deploys.uploadAll(id, named([CONTENT])), 404, "NOT_FOUND");
  });

  it("a hash that is not of the deploy: 404; a text that is no hash: 400", async () => {
    const { id } = await started(deploys.begin({ "index.html": page() }));
    const content = page();
    refused(await deploys.upload(id, content), 404, "NOT_FOUND");
    assert.equal(await env.blobs.get(sha256(content)), null);
    for (const hash of ["x", sha256(content).toUpperCase(), "0".repeat(63)])
      refused(await deploys.put(id, hash, content), 400, "INVALID_BODY");
    refused(await deploys.upload("none", content), 404, "NOT_FOUND");
    await expire();
  });

  it("bytes of another canvas are missing, and a hash alone never gives access to them", async () => {
    const secret = page();
    const other = await stage(target);
    await publish(target, other, { "index.html": secret });
    const { id, missing } = await started(deploys.begin({ "index.html": secret }));
    assert.deepEqual(missing, [sha256(secret)]);
    refused(await deploys.finish(id), 409, "BLOBS_MISSING");
    refused(await deploys.put(id, sha256(secret), "x".repeat(secret.length)), 400, "INVALID_BODY");
    refused(await deploys.finish(id), 409, "BLOBS_MISSING");
    await expire();
  });

  it("a wrong size of bytes that the canvas has: 400; two sizes of one hash: 400", async () => {
    const content = page();
    await publish(target, site, { "index.html": content });
    const entry = { path: "index.html", sha256: sha256(content), size: content.length + 1 };
    refused(await deploys.beginWith({ files: [entry] }), 400, "INVALID_BODY");
    const twice = [
      { path: "a.txt", sha256: sha256("new"), size: 3 },
      { path: "b.txt", sha256: sha256("new"), size: 4 },
    ];
    refused(await deploys.beginWith({ files: twice }), 400, "INVALID_BODY");
  });

  const entry = { path: "index.html", sha256: sha256("home"), size: 4 };
  for (const [name, body] of [
    ["no files", { files: [] }],
    ["no list", {}],
    ["an unknown field", { files: [entry], version: "1" }],
    ["an unknown field of a file", { files: [{ ...entry, mode: 1 }] }],
    ["a path out of the bundle", { files: [{ ...entry, path: "../index.html" }] }],
    ["an absolute path", { files: [{ ...entry, path: "/index.html" }] }],
    ["a backslash", { files: [{ ...entry, path: "a\\b" }] }],
    ["a NUL", { files: [{ ...entry, path: "a\0b" }] }],
    ["a path twice", { files: [entry, entry] }],
    ["paths that differ in case", { files: [entry, { ...entry, path: "INDEX.html" }] }],
    ["a file that is a folder", { files: [entry, { ...entry, path: "index.html/a" }] }],
    ["dot files only", { files: [{ ...entry, path: ".env" }] }],
    ["a hash that is none", { files: [{ ...entry, sha256: "abc" }] }],
    ["a hash in capitals", { files: [{ ...entry, sha256: entry.sha256.toUpperCase() }] }],
    ["a negative size", { files: [{ ...entry, size: -1 }] }],
    ["half a byte", { files: [{ ...entry, size: 0.5 }] }],
    ["too many bytes", { files: [{ ...entry, size: 250 * 1024 * 1024 + 1 }] }],
    ["too many files", { files: Array.from({ length: 5_001 }, (_, n) => ({ ...entry, path: `${n}.txt` })) }],
    ["a message that is too long", { files: [entry], message: "x".repeat(1_001) }],
  ] as const)
    it(`${name}: 400 INVALID_BODY`, async () => {
      const asItWas = await env.db.all`select id from staged_deploys order by id`;
      refused(await deploys.beginWith(body), 400, "INVALID_BODY");
      assert.deepEqual(await env.db.all`select id from staged_deploys order by id`, asItWas);
    });

  it("a manifest over its limit of bytes: 413", async () => {
    const files = [{ ...entry, path: "x".repeat(2 * 1024 * 1024) }];
    refused(await deploys.beginWith({ files }), 413, "BODY_TOO_LARGE");
  });

  it("litter, dot files and a folder around everything are treated as in a zip", async () => {
    const files = { "site/page.html": page(), "site/.env": "SECRET=1", "site/.DS_Store": "x" };
    const { id, missing, leftOut } = await started(deploys.begin(files));
    assert.deepEqual(missing, [sha256(files["site/page.html"])]);
    assert.deepEqual(leftOut, [
      { path: "site/.DS_Store", reason: "litter" },
      { path: ".env", reason: "dot_file" },
    ]);
    assert.equal((await deploys.upload(id, files["site/page.html"])).status, 204);
    refused(await deploys.upload(id, files["site/.env"]), 404, "NOT_FOUND");
    done(await deploys.finish(id));
    assert.equal(await served("page.html"), files["site/page.html"]);
    const { warnings } = await started(deploys.begin({ "a.txt": "a", "b.txt": "b" }));
    assert.match(warnings.join(), /no `index.html`/);
    await expire();
  });

  it("the last response warns about the content of files, also when it is sent again", async () => {
    const index = '<script src="/assets/app.js"></script>';
    const files = { "index.html": index, "assets/app.js": "1", "easel.json": '{"titel":"Tea"}' };
    const { id, warnings } = await started(deploys.begin(files));
    assert.deepEqual(warnings, []);
    for (const content of Object.values(files)) assert.equal((await deploys.upload(id, content)).status, 204);
    for (let times = 0; times < 2; times++) {
      const answer = await deploys.finish(id);
      done(answer);
      const [root, manifest, ...others] = answer.json.warnings as unknown as string[];
      assert.match(String(root), /assets\/app\.js/);
      assert.match(String(manifest), /titel/);
      assert.deepEqual(others, []);
    }
  });

  it("expectedVersion that is not live: 409 VERSION_CONFLICT with the live one, at the start and at the end", async () => {
    const live = await publish(target, site, { "index.html": "live" });
    const next = { "index.html": page() };
    for (const expectedVersion of ["another", null]) {
      const answer = await deploys.begin(next, { expectedVersion });
      refused(answer, 409, "VERSION_CONFLICT");
      assert.equal(answer.json.currentVersion, live);
    }
    const { id } = await started(deploys.begin(next, { expectedVersion: live }));
    assert.equal((await deploys.upload(id, next["index.html"])).status, 204);
    const other = await publish(target, site, { "index.html": "other" });
    const late = await deploys.finish(id);
    refused(late, 409, "VERSION_CONFLICT");
    assert.equal(late.json.currentVersion, other);
    assert.equal(await served(), "other");
    const back = `/api/canvases/${site.id}/versions/${live}/publish`;
    assert.equal((await manage(target, site.people.owner, "POST", back)).status, 200);
    done(await deploys.finish(id));
    assert.equal(await served(), next["index.html"]);
  });

  const stored = async () =>
    (await env.db.all`select id from versions where canvas_id = ${site.id} and state = 'stored'`).length;
  /** Begins and uploads a deploy of one page, which is ready to be finished. */
  const ready = async (content: string, options: object) => {
    const { id } = await started(deploys.begin({ "index.html": content }, options));
    await deploys.upload(id, content);
    return id;
  };

  it("a release that is live: the same version, `unchanged`, whatever the files, the uploads and expectedVersion are", async () => {
    const [first, releaseId] = [page(), randomBytes(20).toString("hex")];
    const published = await deploys.finish(await ready(first, { releaseId }));
    assert.deepEqual([published.status, published.json.unchanged], [200, false]);
    const live = published.json.version;
    const { json } = await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}/versions`);
    assert.equal((json.versions as unknown as { releaseId: string }[])[0]?.releaseId, releaseId);
    const before = await stored();
    for (const options of [{ releaseId }, { releaseId, expectedVersion: "another" }]) {
      const { id, missing } = await started(deploys.begin({ "index.html": page() }, options));
      assert.equal(missing.length, 1);
      for (const answer of [await deploys.finish(id), await deploys.finish(id)])
        assert.deepEqual([answer.status, answer.json.version, answer.json.unchanged], [200, live, true]);
      assert.deepEqual(await env.db.all`select deploy_id from staged_blobs where deploy_id = ${id}`, []);
    }
    assert.equal(await served(), first);
    assert.equal(await stored(), before);
    await settled();
    assert.equal(await recount(site.id, env), await bytes());
  });

  it("a release that is not live any more, another one, and one of an unpublished canvas are published", async () => {
    const [one, other] = [page(), page()];
    const finish = async (content: string, options: object) => {
      const { status, json } = await deploys.finish(await ready(content, options));
      assert.deepEqual([status, json.unchanged], [200, false]);
      assert.equal(await served(), content);
    };
    await finish(one, { releaseId: "one" });
    await finish(other, { releaseId: "other" });
    await finish(one, { releaseId: "one" });
    await finish(other, {});
    await finish(one, { releaseId: "one" });
    await manage(target, site.people.owner, "POST", `/api/canvases/${site.id}/unpublish`);
    await finish(one, { releaseId: "one" });
  });

  it("two people deploy one release at once: one version", async () => {
    const publishers = [deploys, stager(target, site.people.editor, site.id)];
    for (let round = 0; round < 3; round++) {
      const releaseId = `round ${round}`;
      const before = await stored();
      const ready = await Promise.all(
        publishers.map(async (publisher) => {
          const content = page();
          const { id } = await started(publisher.begin({ "index.html": content }, { releaseId }));
          await publisher.upload(id, content);
          return () => publisher.finish(id);
        }),
      );
      const answers = await Promise.all(ready.map((finish) => finish()));
      assert.equal(new Set(answers.map(done)).size, 1);
      assert.deepEqual(answers.map(({ json }) => json.unchanged).sort(), [false, true]);
      assert.equal(await stored(), before + 1);
    }
  });

  for (const releaseId of ["", "a\nb", "r".repeat(129), 1])
    it(`the release ${JSON.stringify(releaseId).slice(0, 20)}: 400 INVALID_BODY`, async () => {
      const answer = await deploys.begin({ "index.html": "x" }, { releaseId });
      refused(answer, 400, "INVALID_BODY");
      assert.equal(answer.json.field, "releaseId");
    });

  it("expectedVersion of an unpublished canvas: null or the version that it published last", async () => {
    const last = await publish(target, site, { "index.html": "last" });
    const unpublish = async () => {
      const path = `/api/canvases/${site.id}/unpublish`;
      const { json } = await manage(target, site.people.owner, "POST", path);
      assert.equal(json.version, null);
    };
    await unpublish();
    const before = await deploys.begin({ "index.html": page() }, { expectedVersion: "another" });
    refused(before, 409, "VERSION_CONFLICT");
    assert.equal(before.json.currentVersion, null);
    for (const expectedVersion of [last, null]) {
      await unpublish();
      const content = page();
      const { id } = await started(deploys.begin({ "index.html": content }, { expectedVersion }));
      assert.equal((await deploys.upload(id, content)).status, 204);
      done(await deploys.finish(id));
      assert.equal(await served(), content);
    }
    await expire();
  });

  it("of concurrent deploys that expect the same version, one is published", async () => {
    const live = await publish(target, site, { "index.html": "live" });
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const content = page();
      const { id } = await started(deploys.begin({ "index.html": content }, { expectedVersion: live }));
      assert.equal((await deploys.upload(id, content)).status, 204);
      ids.push(id);
    }
    const answers = await Promise.all(ids.map((id) => deploys.finish(id)));
    const [won, ...others] = answers.toSorted((a, b) => a.status - b.status);
    const version = done(won as Answer);
    for (const answer of others) {
      refused(answer, 409, "VERSION_CONFLICT");
      assert.equal(answer.json.currentVersion, version);
    }
    await expire();
  });

  it("a canvas without a version: expectedVersion null matches", async () => {
    const fresh = await stage(target, { people: site.people });
    const of = stager(target, site.people.owner, fresh.id);
    refused(await of.begin({ "index.html": "x" }, { expectedVersion: "some" }), 409, "VERSION_CONFLICT");
    const { id } = await started(of.begin({ "index.html": "x" }, { expectedVersion: null }));
    assert.equal((await of.upload(id, "x")).status, 204);
    done(await of.finish(id));
  });

  it("an editor may deploy; viewers, strangers and other users' deploys are refused", async () => {
    const content = page();
    const { id } = await started(deploys.begin({ "index.html": content }));
    const editor = stager(target, site.people.editor, site.id);
    refused(await editor.upload(id, content), 404, "NOT_FOUND");
    refused(await editor.finish(id), 404, "NOT_FOUND");
    for (const [who, status, code] of [
      ["viewer", 403, "PERMISSION_DENIED"],
      ["stranger", 404, "NOT_FOUND"],
    ] as const) {
      const as = stager(target, site.people[who], site.id);
      refused(await as.begin({ "index.html": content }), status, code);
      refused(await as.upload(id, content), status, code);
      refused(await as.finish(id), status, code);
    }
    const nobody = stager(target, { ...site.people.owner, headers: [] }, site.id);
    for (const answer of [await nobody.begin({}), await nobody.upload(id, "x"), await nobody.finish(id)])
      unauthenticated(answer);
    const other = await stage(target, { people: site.people });
    refused(await stager(target, site.people.owner, other.id).upload(id, content), 404, "NOT_FOUND");
    refused(await stager(target, site.people.owner, other.id).finish(id), 404, "NOT_FOUND");
    const own = await started(editor.begin({ "index.html": content }));
    assert.equal((await editor.upload(own.id, content)).status, 204);
    done(await editor.finish(own.id));
    await expire();
  });

  it("an open deploy keeps the bytes it uses until it expires, also when the version with these bytes is removed", async () => {
    await publish(target, site, { "index.html": "x" });
    await publish(target, site, { "index.html": "y" });
    await expire();
    await settled();
    const asItWas = [await uses(), await bytes()];
    const [kept, sent] = [page(), page()];
    const gone = await publish(target, site, { "index.html": kept });
    const { id, missing } = await started(deploys.begin({ "index.html": kept, "new.txt": sent }));
    assert.deepEqual(missing, [sha256(sent)]);
    assert.equal((await deploys.upload(id, sent)).status, 204);
    const { versions } = (await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}/versions`))
      .json as unknown as { versions: { id: string }[] };
    const back = `/api/canvases/${site.id}/versions/${versions[1]?.id}/publish`;
    assert.equal((await manage(target, site.people.owner, "POST", back)).status, 200);
    await env.db.run`update versions set state = 'removing' where id = ${gone}`;
    await sweepAt(Date.now());
    const stored = await keysOf(env.blobs);
    assert.ok([kept, sent].every((content) => stored.includes(sha256(content))));
    done(await deploys.finish(id));
    assert.equal(await served(), kept);
    assert.equal(await served("new.txt"), sent);

    assert.equal((await manage(target, site.people.owner, "POST", back)).status, 200);
    const open = await started(deploys.begin({ "index.html": kept, "unsent.txt": page() }));
    await env.db.run`update versions set state = 'removing' where canvas_id = ${site.id} and id > ${gone}`;
    await sweepAt(Date.now());
    assert.notDeepEqual([await uses(), await bytes()], asItWas);
    await expire();
    assert.deepEqual([await uses(), await bytes()], asItWas);
    assert.equal(await env.blobs.get(sha256(kept)), null);
    for (const answer of [await deploys.upload(open.id, kept), await deploys.finish(open.id)])
      refused(answer, 404, "NOT_FOUND");
  });

  it("after an hour a deploy is gone, even before it is swept", async () => {
    const content = page();
    const { id } = await started(deploys.begin({ "index.html": content }));
    await env.db.run`update staged_deploys set expires_at = ${Date.now()} where id = ${id}`;
    refused(await deploys.upload(id, content), 404, "NOT_FOUND");
    refused(await deploys.finish(id), 404, "NOT_FOUND");
    await expire();
  });

  it("ten open deploys of a canvas: the next one is 409 KEY_LIMIT until one is finished", async () => {
    const content = page();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => deploys.begin({ "index.html": content })),
    );
    const open = answers.filter(({ status }) => status === 201);
    assert.equal(open.length, 10);
    for (const answer of answers) if (answer.status !== 201) refused(answer, 409, "KEY_LIMIT");
    refused(await deploys.begin({ "index.html": content }), 409, "KEY_LIMIT");
    assert.equal((await deploys.upload(open[0]?.json.id, content)).status, 204);
    done(await deploys.finish(open[0]?.json.id));
    await started(deploys.begin({ "index.html": content }));
    await expire();
  });

  it("the owner's quota of bytes bounds what is uploaded: 409 QUOTA_EXCEEDED", async () => {
    const admin = await target.signIn(target.admin);
    const { json } = await manage(target, site.people.owner, "GET", "/api/me");
    const limit = async (value: number | null) => {
      const quotas = { "bundles.bytes.person": value };
      const { status } = await manage(target, admin, "PATCH", `/api/admin/users/${json.id}`, { quotas });
      assert.equal(status, 200);
    };
    const content = page();
    const owned = await env.db.get<{ bytes: number }>`
      select sum(bytes) as bytes from bundle_bytes join canvases on canvases.id = canvas_id
      where owner_id = ${String(json.id)}`;
    const { id } = await started(deploys.begin({ "index.html": content }));
    await limit(Number(owned?.bytes) + content.length - 1);
    refused(await deploys.begin({ "index.html": content }), 409, "QUOTA_EXCEEDED");
    refused(await deploys.upload(id, content), 409, "QUOTA_EXCEEDED");
    refused(await deploys.finish(id), 409, "BLOBS_MISSING");
    await limit(null);
    assert.equal((await deploys.upload(id, content)).status, 204);
    assert.equal(await bytes(), await recount(site.id, env));
    done(await deploys.finish(id));
  });

  it("many small files in few requests: each is stored, counted once, and published", async () => {
    const files = Object.fromEntries(Array.from({ length: 520 }, (_, n) => [`${n}.txt`, `${n} ${page()}`]));
    const contents = Object.values(files);
    const claims = async () =>
      new Set((await env.db.all<{ id: string }>`select id from blob_claims`).map((row) => row.id));
    const before = await claims();
    const { id } = await started(deploys.begin({ ...files, "index.html": contents[0] ?? "" }));
    for (const [from, to] of [
      [0, 250],
      [250, 500],
      [500, 520],
    ]) {
      const part = contents.slice(from, to);
      const answer = uploadedOf(await deploys.uploadAll(id, named(part)));
      assert.deepEqual(answer, { uploaded: hashesOf(part), refused: [] });
    }
    assert.deepEqual((await deploys.read(id)).json, { missing: [] });
    // Claims of earlier deploys may end meanwhile.
    assert.deepEqual([...(await claims()).difference(before)], []);
    done(await deploys.finish(id));
    assert.equal(await served("519.txt"), files["519.txt"]);
    await settled();
    assert.equal(await bytes(), await recount(site.id, env));
    const found = await env.db.all`
      select uses from bundle_blobs where canvas_id = ${site.id} and blob_key = ${sha256(contents[1] ?? "")}`;
    assert.deepEqual(found, [{ uses: 1 }]);
  });
});

test("uploads of staged deploys have a rate limit of their own, five times that of other requests", async (t) => {
  const settings = { SERVICE_RATELIMIT_ENABLED: "true", SERVICE_RATELIMIT_MANAGEMENT_PER_MIN: "30" };
  const { target } = await startDev(t, settings);
  const site = await stage(target);
  const deploys = stager(target, site.people.owner, site.id);
  const begun = await deploys.begin({ "index.html": "home" });
  assert.equal(begun.status, 201, begun.text);
  const left = Number(begun.headers["x-ratelimit-remaining"]);
  const sent = await deploys.upload(begun.json.id, "home");
  const rates = ["x-ratelimit-limit", "x-ratelimit-remaining"].map((name) => Number(sent.headers[name]));
  assert.deepEqual([sent.status, ...rates], [204, 150, 149]);
  const finished = await deploys.finish(begun.json.id);
  assert.equal(Number(finished.headers["x-ratelimit-remaining"]), left - 1);
});
