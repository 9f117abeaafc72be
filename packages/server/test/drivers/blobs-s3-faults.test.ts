import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import dns from "node:dns";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { s3 } from "../../src/drivers/blobs/s3/s3.ts";
import { S3Bucket } from "../../src/drivers/blobs/s3/s3-bucket.ts";
import { S3_TIMES, S3Requests } from "../../src/drivers/blobs/s3/s3-requests.ts";
import { Unavailable } from "../../src/drivers/db/db.ts";
import { openS3, settingsOf } from "../support/s3-blobs.ts";
import { S3_KEYS, type S3Fault, type S3Server, type SeenRequest, startS3 } from "../support/s3-server.ts";
import { atEnd, type Scope, temporaryDirectory } from "../support/service.ts";
import { bytesOf, inPieces, keysOf } from "./blobs-contract.ts";

const MIB = 1024 * 1024;
const text = (words: string) => inPieces(Buffer.from(words));

async function open(scope: Scope, times: Partial<typeof S3_TIMES> = {}) {
  const server = await startS3(scope);
  const opened = await openS3(scope, server.url(), { times: { ...S3_TIMES, retries: [1, 2, 3], ...times } });
  server.requests.length = 0;
  return { server, ...opened };
}

/** Lets the next requests with a method go wrong, one after the other. */
function failNext(server: S3Server, method: string, ...faults: (S3Fault | undefined)[]): void {
  server.fault = (request) => (request.method === method ? faults.shift() : undefined);
}

const count = (server: S3Server, method: string) =>
  server.requests.filter((each) => each.method === method).length;

describe("S3: writes", () => {
  const passing: S3Fault[] = [
    { status: 503, code: "SlowDown" },
    { status: 500, code: "InternalError" },
    { status: 502, code: "BadGateway" },
    { status: 429, code: "TooManyRequests" },
    "drop",
    "lose",
  ];
  for (const fault of passing) {
    test(`a put goes on after three failures: ${JSON.stringify(fault)}`, async (t) => {
      const { blobs, server } = await open(t);
      for (const size of [10, 2 * MIB]) {
        server.requests.length = 0;
        failNext(server, "PUT", fault, fault, fault);
        const bytes = randomBytes(size);
        const { key } = await blobs.put(inPieces(bytes, 3));
        assert.equal(count(server, "PUT"), 4);
        assert.deepEqual(server.objects.get(`blobs/${key}`)?.bytes, bytes);
      }
    });

    test(`a put fails after the fourth failure: ${JSON.stringify(fault)}`, async (t) => {
      const { blobs, server } = await open(t);
      failNext(server, "PUT", fault, fault, fault, fault);
      await assert.rejects(blobs.put(text("tea")), Unavailable);
      assert.equal(count(server, "PUT"), 4);
    });
  }

  for (const [status, code] of [
    [403, "AccessDenied"],
    [404, "NoSuchBucket"],
    [400, "XAmzContentSHA256Mismatch"],
    [408, "RequestTimeout"],
    [409, "OperationAborted"],
  ] as const) {
    test(`a put that is refused with ${status} is not sent again`, async (t) => {
      const { blobs, server } = await open(t);
      failNext(server, "PUT", { status, code });
      const refused = (error: Error) => error instanceof Unavailable && String(error.cause).includes(code);
      await assert.rejects(blobs.put(text("tea")), refused);
      assert.equal(count(server, "PUT"), 1);
      assert.deepEqual(await keysOf(blobs), []);
    });
  }

  test("a put that gets no response is not sent again", async (t) => {
    const server = await startS3(t);
    const { blobs } = await openS3(t, server.url(), {
      times: { ...S3_TIMES, stall: 300, retries: [1, 2, 3] },
    });
    server.requests.length = 0;
    server.fault = ({ method }) => (method === "PUT" ? "hang" : undefined);
    await assert.rejects(blobs.put(text("tea")), Unavailable);
    assert.equal(count(server, "PUT"), 1);
  });

  test("a server without space is as a full disk", async (t) => {
    const { blobs, server } = await open(t);
    failNext(server, "PUT", { status: 507, code: "InsufficientStorage" });
    await assert.rejects(blobs.put(text("tea")), { code: "ENOSPC" });
    failNext(server, "PUT", { status: 403, code: "QuotaExceeded" });
    await assert.rejects(blobs.put(text("tea")), { code: "ENOSPC" });
  });

  test("each put is signed over the hash of its bytes", async (t) => {
    const { blobs, server } = await open(t);
    for (const size of [0, 10, 2 * MIB]) {
      const { key } = await blobs.put(inPieces(randomBytes(size), 7));
      const { headers } = server.requests.at(-1) as SeenRequest;
      assert.equal(headers["x-amz-content-sha256"], key);
      assert.equal(headers["content-length"], String(size));
      assert.match(String(headers.authorization), /SignedHeaders=[^,]*x-amz-content-sha256/);
    }
  });

  test("nothing of a long stream is in the directory while it is staged", async (t) => {
    const { blobs, staging } = await open(t);
    let staged: string[] | undefined;
    const claim = async () => {
      staged = await readdir(staging);
    };
    await blobs.put(inPieces(randomBytes(2 * MIB), 7), { claim });
    assert.deepEqual(staged, []);
  });

  test("a stream of up to 1 MiB is held in memory; a longer one needs space on the disk", async (t) => {
    const { server } = await open(t);
    const directory = await temporaryDirectory(t);
    const { blobs } = await openS3(t, server.url(), {
      staging: { directory, reserve: Number.MAX_SAFE_INTEGER },
    });
    await blobs.put(inPieces(randomBytes(MIB), 4));
    await assert.rejects(blobs.put(inPieces(randomBytes(MIB + 1), 4)), {
      code: "ENOSPC",
      message: /SERVICE_DISK_RESERVE_BYTES/,
    });
  });

  test("a source that fails after 1 MiB leaves no file", async (t) => {
    const { blobs, staging } = await open(t);
    const failing = async function* () {
      yield randomBytes(2 * MIB);
      throw new Error("the source broke");
    };
    await assert.rejects(blobs.put(failing()), /the source broke/);
    assert.deepEqual(await readdir(staging), []);
  });

  test("a copy that fails after the headers of a success is sent again", async (t) => {
    const { blobs, server } = await open(t);
    const { key } = await blobs.put(text("tea"));
    failNext(server, "PUT", "late error");
    assert.equal(await blobs.remove([key], async () => new Set()), 1);
    assert.deepEqual(server.names(), []);
    assert.equal(
      server.requests.filter(({ headers }) => headers["x-amz-copy-source"] !== undefined).length,
      2,
    );
  });

  test("a marker whose first response was lost is that of its writer", async (t) => {
    const { blobs, server } = await open(t);
    failNext(server, "PUT", "lose");
    assert.equal(await blobs.mark("instance", "one"), "one");
    failNext(server, "PUT", { status: 409, code: "ConditionalRequestConflict" });
    assert.equal(await blobs.mark("other", "two"), "two");
  });
});

describe("S3: reads", () => {
  const bytes = randomBytes(3 * MIB);

  async function stored(scope: Scope, times?: Partial<typeof S3_TIMES>) {
    const opened = await open(scope, times);
    const { key } = await opened.blobs.put(inPieces(bytes));
    opened.server.requests.length = 0;
    return { key, ...opened };
  }
  const gets = (server: S3Server): SeenRequest[] => server.requests.filter(({ method }) => method === "GET");

  test("a body that breaks off twice is resumed where it broke, if the object is the same", async (t) => {
    const { blobs, server, key } = await stored(t);
    failNext(server, "GET", { cut: MIB }, { cut: MIB });
    const read = await bytesOf(await blobs.get(key));
    assert.ok(read?.equals(bytes));
    const [first, ...resumed] = gets(server);
    const etag = server.objects.get(`blobs/${key}`)?.etag;
    assert.deepEqual([first?.headers.range, first?.headers["if-match"]], [undefined, undefined]);
    assert.equal(resumed.length, 2);
    for (const { headers } of resumed) {
      assert.equal(headers["if-match"], etag);
      assert.match(String(headers.range), new RegExp(`^bytes=[1-9]\\d+-${bytes.length - 1}$`));
    }
  });

  test("a range that breaks off is resumed within the range", async (t) => {
    const { blobs, server, key } = await stored(t);
    failNext(server, "GET", { cut: 100_000 });
    const read = await bytesOf(await blobs.get(key, { start: 1_000, end: 2_000_000 }));
    assert.ok(read?.equals(bytes.subarray(1_000, 2_000_001)));
    assert.match(String(gets(server)[1]?.headers.range), /-2000000$/);
  });

  test("a body that breaks off three times fails, and so does the rest of an object that has changed", async (t) => {
    const { blobs, server, key } = await stored(t);
    failNext(server, "GET", { cut: 1_000 }, { cut: 1_000 }, { cut: 1_000 });
    await assert.rejects(bytesOf(await blobs.get(key)), Unavailable);
    assert.equal(gets(server).length, 3);
    const object = server.objects.get(`blobs/${key}`);
    assert.ok(object);
    server.requests.length = 0;
    server.fault = () => {
      if (gets(server).length === 1) return { cut: 1_000 };
      object.etag = '"other"';
      return undefined;
    };
    await assert.rejects(bytesOf(await blobs.get(key)), Unavailable);
  });

  for (const fault of ["hang", { wait: 3_000 }] as const) {
    test(`a first byte that does not come in time makes the blobs unavailable: ${JSON.stringify(fault)}`, async (t) => {
      const { blobs, server, key } = await stored(t);
      const requests = new S3Requests(settingsOf(server.url()), () => S3_KEYS, {
        ...S3_TIMES,
        firstByte: 50,
      });
      atEnd(t, () => requests.close());
      failNext(server, "GET", fault);
      const late = (error: Error) =>
        error instanceof Unavailable && /no byte within 50 ms/.test(String(error.cause));
      await assert.rejects(new S3Bucket(requests, "").get(`blobs/${key}`), late);
      assert.ok((await bytesOf(await blobs.get(key)))?.equals(bytes));
    });
  }

  test("a server that is away makes the blobs unavailable; when it is back, they are available", async (t) => {
    const { blobs, server, key } = await stored(t);
    server.fault = () => "drop";
    await assert.rejects(blobs.get(key), Unavailable);
    await assert.rejects(blobs.put(text("tea")), Unavailable);
    await assert.rejects(keysOf(blobs), Unavailable);
    await assert.rejects(blobs.tryWrite(), Unavailable);
    await assert.rejects(
      blobs.remove([key], async () => new Set()),
      Unavailable,
    );
    server.fault = () => undefined;
    assert.ok((await bytesOf(await blobs.get(key)))?.equals(bytes));
    await blobs.tryWrite();
  });

  test("a bucket that is gone makes blobs unavailable: they are not missing", async (t) => {
    const { blobs, server, key } = await stored(t);
    server.fault = () => ({ status: 404, code: "NoSuchBucket" });
    await assert.rejects(blobs.get(key), Unavailable);
    await assert.rejects(blobs.marker("instance"), Unavailable);
    await assert.rejects(
      blobs.remove([key], async () => new Set()),
      Unavailable,
    );
  });

  test("a reader that goes closes the connection", async (t) => {
    const { blobs, server, key } = await stored(t);
    // More than the buffers of the connection hold.
    server.objects.set(`blobs/${key}`, {
      bytes: Buffer.alloc(64 * MIB),
      etag: '"zeros"',
      modified: Date.now(),
    });
    const stream = (await blobs.get(key)) as Readable;
    await once(stream, "readable");
    assert.equal(server.unread, 0);
    stream.destroy();
    for (let waited = 0; server.unread === 0 && waited < 1_000; waited++) await sleep(10);
    assert.equal(server.unread, 1);
  });

  test("a slow reader loses nothing", async (t) => {
    const { blobs, key } = await stored(t);
    const slow: Buffer[] = [];
    for await (const chunk of (await blobs.get(key)) as Readable) {
      slow.push(chunk);
      await sleep(1);
    }
    assert.ok(Buffer.concat(slow).equals(bytes));
  });
});

test("S3: a bucket in the host name is asked by that name", async (t) => {
  const server = await startS3(t);
  const lookup = (host: string, options: dns.LookupOptions, done: (...found: unknown[]) => void) => {
    assert.equal(host, "easel.s3.test");
    if (options.all) done(null, [{ address: "127.0.0.1", family: 4 }]);
    else done(null, "127.0.0.1", 4);
  };
  t.mock.method(dns, "lookup", lookup);
  const { port } = new URL(server.origin);
  const { blobs } = await openS3(
    t,
    `s3://easel?endpoint=http://s3.test:${port}&region=eu-test-1&pathStyle=false`,
  );
  const { key } = await blobs.put(text("tea"));
  assert.equal(await bytesOf(await blobs.get(key)).then(String), "tea");
  assert.equal(await blobs.remove([key], async () => new Set()), 1);
  assert.equal(server.requests.at(-1)?.headers.host, `easel.s3.test:${port}`);
});

test("S3: the sweep removes files in the staging directory that a killed process has left", async (t) => {
  const { blobs, staging } = await open(t);
  await writeFile(path.join(staging, "left"), "ha");
  await blobs.tidy(Date.now() - 60_000);
  assert.deepEqual(await readdir(staging), ["left"]);
  await blobs.tidy(Date.now() + 60_000);
  assert.deepEqual(await readdir(staging), []);
});

test("S3: keys of a provider are used, with their token", async (t) => {
  const server = await startS3(t, { sessionToken: "temporary" });
  const { keys, ...settings } = settingsOf(server.url());
  assert.ok(keys);
  const provider = async () => async () => ({ ...keys, sessionToken: "temporary" });
  const opened = await s3({
    settings: { ...settings, keys: null },
    provider,
    staging: { directory: await temporaryDirectory(t), reserve: 0 },
    exclusively: (work) => work(),
  });
  atEnd(t, () => opened.close());
  await opened.put(text("tea"));
  assert.equal(server.requests.at(-1)?.headers["x-amz-security-token"], "temporary");
});
