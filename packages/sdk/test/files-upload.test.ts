import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import {
  createEasel,
  EaselError,
  NotAuthenticatedError,
  QuotaExceededError,
  type UploadProgress,
} from "../src/index.ts";
import { fakeRequests } from "./fake-request.ts";
import { gatherReports } from "./realtime-server.ts";
import { fakeFetch, page } from "./support.ts";

const UPLOADED = { id: "f-1", name: "tea.png", size: 3, url: "/v1/c/tea/files/f-1/content" };
const URL_OF_FILE = `https://easel.example${UPLOADED.url}`;

/** Starts an upload of 100 bytes that reports progress and thus uses `XMLHttpRequest`. `me` returns the response to `GET /me`. */
function startUpload(
  options: { signal?: AbortSignal } = {},
  me = () => Response.json({}),
  location = page,
  onProgress = (_: UploadProgress) => {},
) {
  const { fetch, calls } = fakeFetch(me);
  const { XMLHttpRequest, sent } = fakeRequests();
  const { files } = createEasel({ ...location, fetch, XMLHttpRequest });
  const uploaded = files.upload(new Uint8Array(100), { ...options, scope: "submission", onProgress });
  const [request] = sent;
  assert.ok(request !== undefined);
  return { uploaded, request, sent, calls };
}

test("an upload with `onProgress` is one XMLHttpRequest with credentials, and no fetch", async () => {
  for (const location of [page, { url: "https://tea.easel.example/" }]) {
    const { uploaded, request, sent, calls } = startUpload({}, undefined, location);
    request.answer(201, UPLOADED);
    assert.deepEqual(await uploaded, { ...UPLOADED, url: URL_OF_FILE });
    const { method, url, withCredentials } = request;
    assert.deepEqual(
      { method, url, withCredentials },
      { method: "POST", url: "https://easel.example/v1/c/tea/files", withCredentials: true },
    );
    assert.deepEqual([...request.body.keys()], ["scope", "file"]);
    assert.deepEqual([sent.length, calls.length], [1, 0]);
  }
});

test("progress counts the bytes of the file, which is the end of the body", async () => {
  const seen: UploadProgress[] = [];
  const { uploaded, request } = startUpload({}, undefined, page, (progress) => seen.push(progress));
  for (const loaded of [0, 30, 40, 90, 140]) request.progress({ loaded, total: 140 });
  request.answer(201, UPLOADED);
  await uploaded;
  assert.deepEqual(
    seen,
    [0, 0, 0, 50, 100].map((loaded) => ({ loaded, total: 100 })),
  );
});

test("a progress handler that throws does not stop the upload", async (t) => {
  const reports = gatherReports(t);
  const failing = () => {
    throw new Error("of the page");
  };
  const { uploaded, request } = startUpload({}, undefined, page, failing);
  request.progress({ loaded: 1, total: 100 });
  request.answer(201, UPLOADED);
  assert.equal((await uploaded).id, "f-1");
  const { files } = createEasel({ ...page, ...fakeFetch(() => Response.json(UPLOADED)) });
  assert.equal((await files.upload("tea", { onProgress: failing })).id, "f-1");
  assert.equal(reports.length, 2);
});

test("without XMLHttpRequest progress is reported once, after the upload", async () => {
  const seen: UploadProgress[] = [];
  const onProgress = (progress: UploadProgress) => seen.push(progress);
  const { fetch, calls } = fakeFetch(() => Response.json(UPLOADED, { status: 201 }));
  await createEasel({ ...page, fetch }).files.upload("Tée", { onProgress });
  assert.deepEqual([seen, calls.length], [[{ loaded: 4, total: 4 }], 1]);
  const refused = fakeFetch(() => Response.json({}, { status: 500 }));
  await assert.rejects(createEasel({ ...page, ...refused }).files.upload("Tée", { onProgress }));
  assert.deepEqual([seen.length, refused.calls.length], [1, 1]);
});

test("errors are the same by XMLHttpRequest as by fetch, without a retry", async () => {
  const rows: [status: number, code: string, type: new (...failure: never[]) => EaselError][] = [
    [413, "FILE_TOO_LARGE", QuotaExceededError],
    [409, "QUOTA_EXCEEDED", QuotaExceededError],
    [401, "NOT_AUTHENTICATED", NotAuthenticatedError],
    [403, "PERMISSION_DENIED", EaselError],
    [429, "RATE_LIMITED", EaselError],
    [500, "INTERNAL", EaselError],
  ];
  const headers = { "retry-after": "7" };
  for (const [status, code, type] of rows) {
    const body = { code, message: "m", requestId: "r" };
    const { uploaded, request, sent, calls } = startUpload();
    request.answer(status, body, undefined, headers);
    const byFetch = createEasel({ ...page, ...fakeFetch(() => Response.json(body, { status, headers })) });
    const errors = await Promise.all(
      [uploaded, byFetch.files.upload("a")].map((each) => each.catch((error: EaselError) => error)),
    );
    for (const error of errors) {
      assert.equal(error.constructor, type);
      const { status: given, code: named, message, requestId, retryAfter } = error as EaselError;
      assert.deepEqual([given, named, message, requestId, retryAfter], [status, code, "m", "r", 7]);
    }
    assert.deepEqual([sent.length, calls.length], [1, 0]);
  }
});

test("a followed redirect to the sign-in page is NotAuthenticatedError", async () => {
  const { uploaded, request, calls } = startUpload();
  request.answer(200, {}, "https://easel.example/auth/login");
  await assert.rejects(uploaded, (error) => error instanceof NotAuthenticatedError && error.status === 401);
  assert.equal(calls.length, 0);
});

test("a broken connection is NotAuthenticatedError if the session has ended, otherwise REQUEST_FAILED", async () => {
  const failed = { name: "EaselError", code: "REQUEST_FAILED", status: 0 };
  const signedOut = { name: "NotAuthenticatedError", status: 401 };
  const rows: [me: () => Response, error: object][] = [
    [() => Response.json({}), failed],
    [() => Response.json({ code: "RATE_LIMITED" }, { status: 429 }), failed],
    [() => assert.fail("offline"), failed],
    [() => new Response(null, { status: 302 }), signedOut],
    [() => Response.json({}, { status: 401 }), signedOut],
  ];
  for (const [me, error] of rows) {
    const { uploaded, request, sent, calls } = startUpload({}, me);
    request.fail();
    await assert.rejects(uploaded, error);
    assert.deepEqual(
      [sent.length, calls.map(({ init, path }) => `${init.method} ${path}`)],
      [1, ["GET /me"]],
    );
  }
});

test("`signal` aborts an XMLHttpRequest at once with its reason, and is left without listeners", async () => {
  const upload = new AbortController();
  const { uploaded, request, calls } = startUpload({ signal: upload.signal });
  upload.abort();
  assert.ok(request.aborted);
  await assert.rejects(uploaded, { name: "AbortError", constructor: DOMException });
  assert.deepEqual(getEventListeners(upload.signal, "abort"), []);
  assert.equal(calls.length, 0);

  const done = new AbortController();
  const other = startUpload({ signal: done.signal });
  other.request.answer(201, UPLOADED);
  await other.uploaded;
  assert.deepEqual(getEventListeners(done.signal, "abort"), []);
});

test("`signal` aborts while the session is checked", async () => {
  const upload = new AbortController();
  const reason = new Error("changed my mind");
  const me = () => {
    upload.abort(reason);
    return Response.json({});
  };
  const { uploaded, request } = startUpload({ signal: upload.signal }, me);
  request.fail();
  await assert.rejects(uploaded, (error) => error === reason);
});

test("an aborted signal sends nothing", async () => {
  const { XMLHttpRequest, sent } = fakeRequests();
  const { fetch, calls } = fakeFetch(() => Response.json(UPLOADED));
  const { files } = createEasel({ ...page, fetch, XMLHttpRequest });
  const reason = new Error("too late");
  const signal = AbortSignal.abort(reason);
  for (const options of [{ signal }, { signal, onProgress() {} }])
    await assert.rejects(files.upload("a", options), (error) => error === reason);
  assert.deepEqual([sent, calls], [[], []]);
});

test("`signal` aborts a fetch with its reason, also while the response arrives", async () => {
  for (const status of [undefined, 201, 413]) {
    const upload = new AbortController();
    const cut = new TypeError("the connection was closed");
    const pull = (body: ReadableStreamDefaultController) => {
      upload.abort();
      body.error(cut);
    };
    const { fetch } = fakeFetch(({ init }) => {
      assert.equal(init.signal, upload.signal);
      if (status !== undefined)
        return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { status });
      upload.abort();
      return Promise.reject(cut);
    });
    const uploaded = createEasel({ ...page, fetch }).files.upload("a", { signal: upload.signal });
    await assert.rejects(uploaded, { name: "AbortError", constructor: DOMException });
  }
});
