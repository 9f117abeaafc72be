import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { describe, mock, test } from "node:test";
import { buildApp } from "fauxqs";
import { S3Bucket } from "../../src/drivers/blobs/s3/s3-bucket.ts";
import { S3Requests } from "../../src/drivers/blobs/s3/s3-requests.ts";
import { openS3, settingsOf } from "../support/s3-blobs.ts";
import { S3_KEYS, type S3Server, type S3ServerOptions, startS3 } from "../support/s3-server.ts";
import { atEnd, type Scope } from "../support/service.ts";
import { blobsContract, bytesOf, inPieces, keysOf, notInUse } from "./blobs-contract.ts";

const text = (words: string) => inPieces(Buffer.from(words));

async function open(scope: Scope, options: S3ServerOptions = {}) {
  const server = await startS3(scope, options);
  return { server, ...(await openS3(scope, server.url("some/prefix"))) };
}

/** Makes an object look as if it had been written `ms` milliseconds ago. */
function age(server: S3Server, name: string, ms: number): void {
  const found = server.objects.get(name);
  assert.ok(found, name);
  found.modified = Date.now() - ms;
}

const onStandIn = (name: string, options: S3ServerOptions) =>
  blobsContract(name, false, async (scope) => {
    const { blobs, server } = await open(scope, options);
    return { blobs, age: async (key, ms) => age(server, `some/prefix/blobs/${key}`, ms) };
  });

onStandIn("S3", {});
onStandIn("S3 with short pages that ignores conditions", { conditional: false, page: 3 });

/** fauxqs takes bodies of up to 11 MiB. Stored objects have no other time than that of their write. */
const FAUXQS_MIB = 8;

blobsContract(
  "S3 of fauxqs, which ignores conditions and verifies no signature",
  false,
  async (scope) => {
    const app = buildApp({ logger: false });
    await app.listen({ port: 0, host: "127.0.0.1" });
    atEnd(scope, () => app.close());
    const { port } = app.server.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    assert.equal((await fetch(`${endpoint}/easel`, { method: "PUT" })).status, 200);
    const { blobs } = await openS3(scope, `s3://easel?endpoint=${endpoint}`);
    const agePut = async (key: string, ms: number) => {
      const bytes = await bytesOf(await blobs.get(key));
      mock.timers.enable({ apis: ["Date"], now: Date.now() - ms });
      await blobs.put(inPieces(bytes as Buffer)).finally(() => mock.timers.reset());
    };
    return { blobs, age: agePut };
  },
  FAUXQS_MIB,
);

describe("S3 blobs", () => {
  test("objects have the names that the docs give", async (t) => {
    const { blobs, server } = await open(t);
    const { key } = await blobs.put(text("tea"));
    await blobs.mark("instance", "one");
    assert.deepEqual(server.names(), [`some/prefix/blobs/${key}`, "some/prefix/markers/instance"]);
    await blobs.remove([key], async () => {
      assert.match(server.names()[1] ?? "", new RegExp(`^some/prefix/trash/${key}[.][0-9a-f-]{36}$`));
      return new Set();
    });
    assert.deepEqual(server.names(), ["some/prefix/markers/instance"]);
  });

  test("prefixes of one bucket are stores of their own", async (t) => {
    const { server, blobs } = await open(t);
    const { blobs: others } = await openS3(t, server.url("some"));
    const { key } = await blobs.put(text("tea"));
    assert.equal(await others.get(key), null);
    assert.deepEqual([await keysOf(others), await keysOf(blobs)], [[], [key]]);
  });

  test("a blob whose removal was interrupted is readable, and tidy moves it back", async (t) => {
    const { blobs, server } = await open(t);
    const { key } = await blobs.put(text("tea"));
    server.fault = ({ method, name }) =>
      method === "DELETE" && name.includes("/blobs/") ? "lose" : undefined;
    await assert.rejects(blobs.remove([key], notInUse), /unavailable/);
    server.fault = () => undefined;
    const trash = server.names().find((name) => name.includes("/trash/")) ?? "";
    assert.deepEqual(server.names(), [trash]);
    const read = async () => (await bytesOf(await blobs.get(key, { start: 1, end: 2 })))?.toString();
    assert.equal(await read(), "ea");
    await blobs.tidy(Date.now() - 60_000);
    assert.deepEqual(server.names(), [trash]);
    age(server, trash, 120_000);
    await blobs.tidy(Date.now() - 60_000);
    assert.deepEqual(server.names(), [`some/prefix/blobs/${key}`]);
    assert.equal(await read(), "ea");
  });

  test("the removal of a blob is sent once, signed as of the time before its copy; a lost copy is sent again", async (t) => {
    const { blobs, server } = await open(t);
    const { key } = await blobs.put(text("tea"));
    const lost = new Set<string>();
    server.requests.length = 0;
    server.fault = ({ method, headers }) => {
      const kind = headers["x-amz-copy-source"] === undefined ? method : "COPY";
      if (lost.has(kind)) return undefined;
      lost.add(kind);
      return kind === "COPY" ? { wait: 1_100 } : "drop";
    };
    await assert.rejects(blobs.remove([key], notInUse), /unavailable/);
    const removals = server.requests.filter(({ method }) => method === "DELETE");
    assert.deepEqual(
      removals.map(({ name }) => name),
      [`some/prefix/blobs/${key}`],
    );
    const [copied] = server.requests;
    assert.equal(removals[0]?.headers["x-amz-date"], copied?.headers["x-amz-date"]);
    assert.deepEqual(await keysOf(blobs), [key]);
  });

  test("a removal is sent until 10 minutes after the time of its signature", async (t) => {
    const server = await startS3(t);
    const settings = settingsOf(server.url());
    const requests = new S3Requests(settings, () => S3_KEYS);
    atEnd(t, () => requests.close());
    const now = Date.now();
    const bucket = new S3Bucket(requests, settings.prefix, () => now);
    await bucket.removeAsOf("blobs/tea", now - 10 * 60_000);
    await assert.rejects(bucket.removeAsOf("blobs/tea", now - 10 * 60_000 - 1), /taken too long/);
    assert.equal(server.requests.length, 1);
  });

  test("a removal that fails for one blob removes none of the others", async (t) => {
    const { blobs, server } = await open(t);
    const keys = await Promise.all(
      ["one", "two", "three"].map(async (each) => (await blobs.put(text(each))).key),
    );
    server.fault = ({ method, name }) =>
      method === "DELETE" && name.endsWith(`/blobs/${keys[1]}`)
        ? { status: 403, code: "AccessDenied" }
        : undefined;
    await assert.rejects(blobs.remove(keys, notInUse), /unavailable/);
    assert.deepEqual(await keysOf(blobs), keys.toSorted());
  });

  test("bytes of another blob in the store of a server are not mixed up when the connection is reused", async (t) => {
    const { blobs } = await open(t);
    const puts = await Promise.all(Array.from({ length: 50 }, (_, n) => blobs.put(text(`cup ${n}`))));
    const read = await Promise.all(puts.map(async ({ key }) => String(await bytesOf(await blobs.get(key)))));
    assert.deepEqual(
      read,
      puts.map((_, n) => `cup ${n}`),
    );
  });
});
