import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { WorkLists } from "../../src/async/background.ts";
import { TaskPool } from "../../src/async/task-pool.ts";
import type { BundleFile } from "../../src/canvases/publishing/bundle.ts";
import { compressLater } from "../../src/canvases/publishing/compressions.ts";
import { publishStored, storeVersion } from "../../src/canvases/publishing/deploy.ts";
import { sweepBlobs } from "../../src/canvases/sweep.ts";
import { sweepVersions } from "../../src/canvases/version-files.ts";
import { ServedFiles } from "../../src/content/served-files.ts";
import type { Env } from "../../src/env.ts";
import { changedDb } from "../support/changed-db.ts";
import { onEngines } from "../support/engines.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Returns the files of a bundle, from their contents by path. */
const bundleOf = (contents: Record<string, string | Buffer>): BundleFile[] =>
  Object.entries(contents).map(([path, content]) => ({
    path,
    size: content.length,
    open: async () =>
      (async function* () {
        yield Buffer.from(content);
      })(),
  }));

/** Wraps the environment of a service: counts the blobs that are put and the blobs that are compressed. */
function counting(env: Env) {
  const count = { puts: 0, compressions: 0 };
  class Counted extends TaskPool {
    override run<Result>(person: string, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
      count.compressions++;
      return super.run(person, task);
    }
  }
  const put: Env["blobs"]["put"] = (...given) => {
    count.puts++;
    return env.blobs.put(...given);
  };
  return {
    env: {
      ...env,
      blobs: { ...env.blobs, put },
      compressions: new WorkLists(
        new Counted({ running: 2, runningEach: 2, waitingEach: 1 }),
        assert.ifError,
      ),
    },
    /** Returns the counts since the last call. */
    taken: () => {
      const taken = { ...count };
      Object.assign(count, { puts: 0, compressions: 0 });
      return taken;
    },
  };
}

await onEngines("a bundle with bytes that its canvas has stored before", (target, env) => {
  let site: Stage;
  let other: Stage;
  let owner: string;
  before(async () => {
    site = await stage(target);
    other = await stage(target, { people: site.people });
    owner = String((await manage(target, site.people.owner, "GET", "/api/me")).json.id);
  });

  const text = () => `${randomBytes(20).toString("hex")} ${"and words ".repeat(200)}`;
  /** Stores a version and compresses its files. */
  const store = async (contents: Record<string, string | Buffer>, through = env, canvas = site.id) => {
    const version = await storeVersion(canvas, owner, bundleOf(contents), through);
    compressLater(version.owner.id, through);
    await through.compressions.settled();
    return version;
  };
  /** Removes the versions that are not published, and then every blob that nothing refers to. */
  const sweepAll = async () => {
    await sweepVersions(Date.now() + 1, env);
    await sweepBlobs({ ...env, clock: () => Date.now() + 2 * HOUR_MS });
  };
  /** Asserts that every blob of a version is stored, and returns the paths of its files with their encodings. */
  const whole = async (version: string): Promise<string[]> => {
    const paths = await env.db.all<{ path: string }>`
      select path from version_files where version_id = ${version} order by path`;
    const found: string[] = [];
    for (const { path } of paths) {
      const files = (await new ServedFiles(env).find(version, [path, "", ""])).get(path) ?? [];
      for (const { encoding, key, size } of files) {
        const stream = await env.blobs.get(key);
        assert.ok(stream !== null, `${path} ${encoding}`);
        assert.equal((await buffer(stream)).length, size);
        found.push(`${path} ${encoding}`);
      }
    }
    return found;
  };

  it("one changed file of many: one blob and its variants are stored, and nothing else is compressed", async () => {
    const counted = counting(env);
    const contents = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}.html`, text()]));
    const large = Buffer.from(text().repeat(150));
    await store({ ...contents, "large.txt": large }, counted.env);
    assert.deepEqual(counted.taken(), { puts: 93, compressions: 31 });
    const { id, files, bytes } = await store(
      { ...contents, "large.txt": large, "7.html": text() },
      counted.env,
    );
    assert.deepEqual(counted.taken(), { puts: 3, compressions: 1 });
    assert.equal((await whole(id)).length, 93);
    assert.deepEqual([files, bytes], [31, 30 * 2041 + large.length]);
    await store({ ...contents, "renamed.html": contents["1.html"] as string }, counted.env);
    assert.deepEqual(counted.taken(), { puts: 0, compressions: 0 });
    await sweepAll();
  });

  it("bytes of another canvas are stored and compressed as if they were new", async () => {
    const counted = counting(env);
    const contents = { "index.html": text() };
    await store(contents, counted.env, other.id);
    const first = counted.taken();
    await store(contents, counted.env);
    assert.deepEqual(counted.taken(), first);
    assert.deepEqual(first, { puts: 3, compressions: 1 });
    await sweepAll();
  });

  it("bytes that were not compressed under another name are compressed once", async () => {
    const counted = counting(env);
    const content = text();
    const plain = await store({ "a.bin": content }, counted.env);
    assert.deepEqual(counted.taken(), { puts: 1, compressions: 0 });
    const typed = await store({ "a.bin": content, "a.txt": content }, counted.env);
    assert.deepEqual(counted.taken(), { puts: 2, compressions: 1 });
    const again = await store({ "b.txt": content }, counted.env);
    assert.deepEqual(counted.taken(), { puts: 0, compressions: 0 });
    assert.deepEqual(await whole(plain.id), ["a.bin identity"]);
    assert.deepEqual(await whole(typed.id), ["a.bin identity", "a.txt identity", "a.txt br", "a.txt gzip"]);
    assert.deepEqual(await whole(again.id), ["b.txt identity", "b.txt br", "b.txt gzip"]);
    await sweepAll();
  });

  it("compressed variants stay as long as their bytes, also while no version serves them", async () => {
    const content = text();
    await publishStored(await store({ "a.bin": content }), env);
    await store({ "a.txt": content });
    await sweepAll();
    const counted = counting(env);
    const { id } = await store({ "a.txt": content }, counted.env);
    assert.deepEqual(counted.taken(), { puts: 0, compressions: 0 });
    assert.equal((await whole(id)).length, 3);
    await sweepAll();
  });

  it("bytes that a later version uses stay when the version that first stored them is removed", async () => {
    const content = text();
    const first = await store({ "index.html": content });
    const second = await store({ "index.html": content });
    await env.db.run`update versions set state = 'removing' where id = ${first.id}`;
    await sweepVersions(0, env);
    await sweepBlobs({ ...env, clock: () => Date.now() + 2 * HOUR_MS });
    assert.equal((await whole(second.id)).length, 3);
    await sweepAll();
  });

  it("bytes that are removed between their lookup and their use are stored again", async () => {
    const content = text();
    const first = await store({ "index.html": content });
    let raced = false;
    const batch: Env["db"]["batch"] = async (steps) => {
      if (!raced) {
        raced = true;
        await env.db.run`update versions set state = 'removing' where id = ${first.id}`;
        await sweepVersions(0, env);
        await sweepBlobs({ ...env, clock: () => Date.now() + 2 * HOUR_MS });
      }
      return env.db.batch(steps);
    };
    const counted = counting({ ...env, db: changedDb(env.db, { batch }) });
    const { id, files } = await store({ "index.html": content }, counted.env);
    assert.equal(files, 1);
    assert.deepEqual(counted.taken(), { puts: 3, compressions: 1 });
    assert.equal((await whole(id)).length, 3);
    await sweepAll();
    assert.deepEqual(await env.db.all`select bytes from bundle_bytes where canvas_id = ${other.id}`, [
      { bytes: 0 },
    ]);
  });
});
