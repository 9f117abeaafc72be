import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { fromBufferPromise } from "yauzl";
import {
  type Bundle,
  CapabilityDisabledError,
  createEasel,
  EaselError,
  NotAuthenticatedError,
  NotFoundError,
  PublishFailedError,
  QuotaExceededError,
  UpdatePartialError,
  type UploadProgress,
} from "../src/index.ts";
import { fakeRequests } from "./fake-request.ts";
import { type Call, fakeFetch, page } from "./support.ts";

const CANVAS = { id: "c-1", url: "https://easel.example/c/tea-4/", version: "v-1", updatedAt: 7 };
const ZIP = new Uint8Array([0x50, 0x4b, 5, 6]);

function answered(body: unknown = CANVAS, status = 200) {
  const { fetch, calls } = fakeFetch(() =>
    status === 204 ? new Response(null, { status }) : Response.json(body, { status }),
  );
  return { ...createEasel({ ...page, fetch }), calls };
}

/** Returns the form parts of the only request that was sent, in their order, with the JSON of the metadata parsed. */
function sent(calls: Call[]) {
  assert.equal(calls.length, 1);
  const form = calls[0]?.init.body;
  assert.ok(form instanceof FormData);
  return {
    request: `${calls[0]?.init.method} ${calls[0]?.path}`,
    parts: [...form.keys()],
    metadata: JSON.parse(String(form.get("metadata"))),
    bundle: form.get("bundle") as File | null,
  };
}

async function unzip(archive: Blob | null): Promise<[path: string, content: string][]> {
  const files: [string, string][] = [];
  const reader = await fromBufferPromise(Buffer.from((await archive?.arrayBuffer()) ?? new ArrayBuffer()));
  for await (const entry of reader.eachEntry())
    files.push([entry.fileName, String(await buffer(await reader.openReadStreamPromise(entry)))]);
  return files;
}

const invalid = { name: "EaselError", code: "INVALID_BODY", status: 400 };

test("`publish` sends the settings before the bundle, and resolves with the canvas", async () => {
  const { canvases, calls } = answered();
  const settings = {
    title: "Tea",
    slug: "tea-4",
    tags: ["tea"],
    access: "password",
    password: "open sesame",
    expiresAt: 99,
    metadata: { sourceApp: "kettle", cups: [1, null] },
  } as const;
  const { tags, metadata, ...rest } = settings;
  const canvas = await canvases.publish({
    ...rest,
    tags: [...tags],
    metadata: { ...metadata, cups: [1, null] },
    bundle: ZIP,
  });
  assert.deepEqual(canvas, CANVAS);
  const { bundle, ...form } = sent(calls);
  assert.deepEqual(form, {
    request: "POST /authoring",
    parts: ["metadata", "bundle"],
    metadata: settings,
  });
  assert.deepEqual(new Uint8Array((await bundle?.arrayBuffer()) ?? []), ZIP);
});

test("`update` sends what is given: null, the compare-and-swap token, and a bundle if there is one", async () => {
  const changes = { title: "Tea at five", password: null, expiresAt: null, expectedUpdatedAt: 7 };
  const settingsOnly = answered();
  assert.deepEqual(
    await settingsOnly.canvases.update("c/1", { ...changes, onProgress: () => assert.fail() }),
    CANVAS,
  );
  assert.deepEqual(sent(settingsOnly.calls), {
    request: "PUT /authoring/c%2F1",
    parts: ["metadata"],
    metadata: changes,
    bundle: null,
  });
  const bundleOnly = answered();
  await bundleOnly.canvases.update("c-1", { bundle: { "index.html": "<h1>Five</h1>" } });
  const { bundle, parts, metadata } = sent(bundleOnly.calls);
  assert.deepEqual([parts, metadata], [["metadata", "bundle"], {}]);
  assert.deepEqual(await unzip(bundle), [["index.html", "<h1>Five</h1>"]]);
});

test("`list` sends its filters, `revoke` resolves without a value", async () => {
  const { canvases, calls } = answered({ canvases: [CANVAS] });
  assert.deepEqual(await canvases.list(), [CANVAS]);
  await canvases.list({ sourceApp: "a b", sourceKind: "k", tags: ["x", "y z"] });
  await canvases.list({ tags: [] });
  assert.deepEqual(
    calls.map(({ init, path }) => `${init.method} ${path}`),
    ["GET /authoring", "GET /authoring?sourceApp=a+b&sourceKind=k&tags=x%2Cy+z", "GET /authoring"],
  );
  const gone = answered(undefined, 204);
  assert.equal(await gone.canvases.revoke("c-1"), undefined);
  assert.deepEqual(
    gone.calls.map(({ init, path }) => `${init.method} ${path}`),
    ["DELETE /authoring/c-1"],
  );
});

test("a bundle is a zip as a Blob or bytes, or a map from paths to contents", async () => {
  for (const bundle of [new Blob([ZIP]), ZIP, ZIP.buffer, new DataView(ZIP.buffer)]) {
    const { canvases, calls } = answered();
    await canvases.publish({ title: "Tea", bundle });
    assert.deepEqual(new Uint8Array((await sent(calls).bundle?.arrayBuffer()) ?? []), ZIP);
  }
  const files = {
    "index.html": "<h1>Tée</h1>",
    "ä/ö.txt": new TextEncoder().encode("bytes"),
    "cup.svg": new Blob(["<svg/>"]),
    ...JSON.parse('{"__proto__":"own"}'),
  };
  for (const bundle of [files, new Map(Object.entries(files))] as Bundle[]) {
    const { canvases, calls } = answered();
    await canvases.publish({ title: "Tea", bundle });
    assert.deepEqual(await unzip(sent(calls).bundle), [
      ["index.html", "<h1>Tée</h1>"],
      ["ä/ö.txt", "bytes"],
      ["cup.svg", "<svg/>"],
      ["__proto__", "own"],
    ]);
  }
});

test("progress counts the bytes of the zip, by XMLHttpRequest", async () => {
  const seen: UploadProgress[] = [];
  const { XMLHttpRequest, sent } = fakeRequests();
  const { fetch, calls } = fakeFetch(() => assert.fail("no fetch"));
  const { canvases } = createEasel({ ...page, fetch, XMLHttpRequest });
  const bundle = new Uint8Array(100);
  const published = canvases.publish({ title: "Tea", bundle, onProgress: (each) => seen.push(each) });
  await new Promise(setImmediate);
  const [request] = sent;
  assert.ok(request !== undefined);
  assert.deepEqual([request.method, request.url], ["POST", "https://easel.example/v1/c/tea/authoring"]);
  request.progress({ loaded: 450, total: 500 });
  request.answer(200, CANVAS);
  assert.deepEqual([await published, seen, calls], [CANVAS, [{ loaded: 50, total: 100 }], []]);
});

test("an aborted signal sends nothing", async () => {
  const reason = new Error("too late");
  const signal = AbortSignal.abort(reason);
  const { canvases, calls } = answered();
  for (const bundle of [ZIP, { "index.html": "" }])
    await assert.rejects(canvases.publish({ title: "Tea", bundle, signal }), (error) => error === reason);
  await assert.rejects(canvases.update("c-1", { signal }), (error) => error === reason);
  assert.deepEqual(calls, []);
});

test("unsound bundles are refused with the messages of the service, before anything is sent", async () => {
  const { canvases, calls } = answered();
  const many = Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`${index}.txt`, ""]));
  const rows: [bundle: unknown, message: string][] = [
    [{ "../a": "" }, "The path `../a` does not stay inside the bundle."],
    [{ "/a": "" }, "The path `/a` does not stay inside the bundle."],
    [{ "a//b": "" }, "The path `a//b` does not stay inside the bundle."],
    [{ "a/": "" }, "The path `a/` does not stay inside the bundle."],
    [{ "": "" }, "The path `` does not stay inside the bundle."],
    [{ "a\\b": "" }, "The path `a\\b` has characters that a path cannot have."],
    [{ "a\0": "" }, "The path `a\0` has characters that a path cannot have."],
    [{ "a\ud800": "" }, "The path `a\ud800` has characters that a path cannot have."],
    [
      { ".well-known/acme-challenge/a": "" },
      "The path `.well-known/acme-challenge/a` is reserved for proofs to certificate authorities.",
    ],
    [{ ["a".repeat(1025)]: "" }, `The path \`${"a".repeat(100)}\` is too long.`],
    [{}, "The bundle is empty."],
    [many, "The bundle has too many entries."],
    [{ "a.txt": 1 }, "`a.txt`: A file must be a File, a Blob, an ArrayBuffer, a typed array or a string."],
    ["<h1>Tea</h1>", "A bundle must be a zip, as a Blob or bytes, or an object from paths to contents."],
    [["<h1>"], "A bundle must be a zip, as a Blob or bytes, or an object from paths to contents."],
    [null, "A bundle must be a zip, as a Blob or bytes, or an object from paths to contents."],
    [undefined, "A canvas needs a bundle."],
  ];
  for (const [bundle, message] of rows)
    await assert.rejects(canvases.publish({ title: "Tea", bundle: bundle as Bundle }), {
      ...invalid,
      message,
    });
  assert.deepEqual(calls, []);
});

/** A blob of 60 MiB that fails the test if it is read. */
class HugeBlob extends Blob {
  override get size() {
    return 60 * 1024 * 1024;
  }

  override stream() {
    return assert.fail("read");
  }
}

test("bundles over the limits are refused before they are read", async () => {
  const { canvases, calls } = answered();
  const huge = new HugeBlob();
  await assert.rejects(canvases.publish({ title: "Tea", bundle: huge }), (error) => {
    assert.ok(error instanceof QuotaExceededError);
    assert.deepEqual([error.status, error.code, error.message], [413, "INVALID_BODY", "bundle too large"]);
    return true;
  });
  const bundle = Object.fromEntries(["a", "b", "c", "d", "e"].map((path) => [path, huge]));
  await assert.rejects(canvases.publish({ title: "Tea", bundle }), {
    ...invalid,
    message: "The bundle is too large when unpacked.",
  });
  assert.deepEqual(calls, []);
});

test("arguments that would mean something else are refused before anything is sent", async () => {
  const { canvases, calls } = answered();
  for (const expiresAt of [Number.NaN, Number.POSITIVE_INFINITY])
    await assert.rejects(canvases.update("c-1", { expiresAt }), invalid);
  for (const id of ["", ".", "..", undefined as unknown as string]) {
    await assert.rejects(canvases.update(id, {}), invalid);
    await assert.rejects(canvases.revoke(id), invalid);
  }
  await assert.rejects(canvases.list({ tags: ["a,b"] }), invalid);
  assert.deepEqual(calls, []);
});

const current = { ...CANVAS, title: "Saved" };

/** The error responses of specification 4.8, with the class and the fields of the error that the SDK throws. */
const REFUSALS: [
  status: number,
  body: object,
  type: new (...failure: never[]) => EaselError,
  fields?: object,
][] = [
  [401, { code: "NOT_AUTHENTICATED" }, NotAuthenticatedError],
  [
    403,
    { code: "CAPABILITY_DISABLED", capability: "authoring", reason: "operator_disabled", hint: "h" },
    CapabilityDisabledError,
    { capability: "authoring", reason: "operator_disabled", hint: "h" },
  ],
  [403, { code: "PERMISSION_DENIED" }, EaselError],
  [404, { code: "NOT_FOUND" }, NotFoundError, { reason: "NOT_FOUND" }],
  [409, { code: "DISABLED" }, EaselError],
  [400, { code: "INVALID_BODY" }, EaselError],
  [400, { code: "INVALID_BODY", reason: "invalid_slug" }, EaselError, { reason: "invalid_slug" }],
  [400, { code: "INVALID_BODY", reason: "org_forbidden" }, EaselError, { reason: "org_forbidden" }],
  [413, { code: "INVALID_BODY", message: "bundle too large" }, QuotaExceededError],
  [409, { code: "SLUG_TAKEN" }, EaselError],
  [409, { code: "ORG_REQUIRED" }, EaselError],
  [403, { code: "PUBLIC_LINKS_DISABLED" }, EaselError],
  [403, { code: "PUBLIC_NOT_ALLOWED" }, EaselError],
  [403, { code: "PUBLIC_LINK_OWNER_GATED" }, EaselError],
  [
    429,
    { code: "QUOTA_EXCEEDED", scope: "user_daily", limit: 20 },
    QuotaExceededError,
    { scope: "user_daily", limit: 20 },
  ],
  [
    429,
    { code: "QUOTA_EXCEEDED", scope: "user_total", limit: 200 },
    QuotaExceededError,
    { scope: "user_total", limit: 200 },
  ],
  [429, { code: "RATE_LIMITED" }, EaselError],
  [409, { code: "SHARE_REVOKED" }, EaselError],
  [409, { code: "SHARE_CONFLICT", current }, EaselError, { current }],
  [502, { code: "PUBLISH_FAILED", id: "c-1" }, PublishFailedError, { id: "c-1" }],
  [502, { code: "PUBLISH_FAILED" }, PublishFailedError, { id: undefined }],
  [
    502,
    { code: "UPDATE_PARTIAL", stage: "deploy", current },
    UpdatePartialError,
    { stage: "deploy", current },
  ],
];

for (const [status, body, type, fields = {}] of REFUSALS) {
  test(`${status} ${JSON.stringify(body)} is a ${type.name}`, async () => {
    const { code } = body as { code: string };
    for (const call of [
      ({ canvases }: ReturnType<typeof answered>) => canvases.publish({ title: "Tea", bundle: ZIP }),
      ({ canvases }: ReturnType<typeof answered>) => canvases.update("c-1", { title: "Tea" }),
      ({ canvases }: ReturnType<typeof answered>) => canvases.revoke("c-1"),
      ({ canvases }: ReturnType<typeof answered>) => canvases.list(),
    ]) {
      const easel = answered(body, status);
      await assert.rejects(call(easel), (error) => {
        assert.ok(error instanceof EaselError);
        assert.equal(error.constructor, type);
        assert.deepEqual([error.status, error.code], [status, code]);
        assert.partialDeepStrictEqual({ ...error }, fields);
        return true;
      });
      assert.equal(easel.calls.length, 1);
    }
  });
}
