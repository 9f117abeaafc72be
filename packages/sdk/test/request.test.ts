import assert from "node:assert/strict";
import { test } from "node:test";
import { createEasel, EaselError, kv, NotAuthenticatedError, NotFoundError } from "../src/index.ts";
import { createApi, search } from "../src/request.ts";
import { fakeFetch, page } from "./support.ts";

test("requests send credentials, a same-origin referrer, and follow no redirect", async () => {
  const { fetch, calls } = fakeFetch(() => Response.json({ ok: true }));
  await createApi({ ...page, fetch }).json("PUT", "/kv/a", { b: [1, null] });
  await createApi({ url: "https://tea.easel.example/", fetch }).json("GET", "/me");
  const always = { credentials: "include", referrerPolicy: "same-origin", redirect: "manual" };
  assert.deepEqual(
    calls.map(({ url, init }) => ({ url, init })),
    [
      {
        url: "https://easel.example/v1/c/tea/kv/a",
        init: {
          ...always,
          method: "PUT",
          headers: { "content-type": "application/json" },
          body: '{"b":[1,null]}',
        },
      },
      { url: "https://easel.example/v1/c/tea/me", init: { ...always, method: "GET" } },
    ],
  );
});

test("null is sent as a body, undefined is not", async () => {
  const { fetch, calls } = fakeFetch(() => Response.json({}));
  const api = createApi({ ...page, fetch });
  await api.json("PUT", "/a", null);
  await api.json("PUT", "/a", undefined);
  assert.deepEqual(
    calls.map(({ init }) => init.body),
    ["null", undefined],
  );
});

test("`me` resolves with the body of /me", async () => {
  const body = { id: "u-1", name: "Ada", canvasRole: "viewer" };
  const { fetch, calls } = fakeFetch(() => Response.json(body));
  assert.deepEqual(await createEasel({ ...page, fetch }).me(), body);
  assert.equal(calls[0]?.url, "https://easel.example/v1/c/tea/me");
});

test("an error response is thrown as its error class, without a retry", async () => {
  for (const status of [404, 429, 500, 503]) {
    const { fetch, calls } = fakeFetch(() =>
      Response.json({ code: "X", message: "m", requestId: "r" }, { status }),
    );
    await assert.rejects(createApi({ ...page, fetch }).json("GET", "/me"), {
      status,
      message: "m",
      requestId: "r",
    });
    assert.equal(calls.length, 1);
  }
});

test("an error response that is not JSON is mapped by its status", async () => {
  const { fetch } = fakeFetch(() => new Response("<h1>Not here</h1>", { status: 404 }));
  await assert.rejects(createApi({ ...page, fetch }).json("GET", "/me"), NotFoundError);
});

test("the gateway's redirect to the sign-in page is NotAuthenticatedError", async () => {
  const opaque = Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" });
  for (const answer of [opaque, new Response(null, { status: 302, headers: { location: "/auth/login" } })]) {
    const { fetch, calls } = fakeFetch(() => answer);
    const refused = createApi({ ...page, fetch }).json("GET", "/me");
    await assert.rejects(refused, (error) => error instanceof NotAuthenticatedError && error.status === 401);
    assert.equal(calls.length, 1);
  }
});

test("a network failure is REQUEST_FAILED with status 0 and its cause, without a retry", async () => {
  const cause = new TypeError("Failed to fetch");
  const cut = () => new Response(new ReadableStream({ start: (body) => body.error(cause) }));
  for (const answer of [() => Promise.reject(cause), cut]) {
    const { fetch, calls } = fakeFetch(answer);
    await assert.rejects(createApi({ ...page, fetch }).json("GET", "/me"), (error) => {
      assert.ok(error instanceof EaselError);
      assert.deepEqual([error.code, error.status, error.cause], ["REQUEST_FAILED", 0, cause]);
      return true;
    });
    assert.equal(calls.length, 1);
  }
});

test("a 2xx response that is not JSON is REQUEST_FAILED with its status", async () => {
  const { fetch } = fakeFetch(() => new Response("<h1>Sign in</h1>"));
  await assert.rejects(createApi({ ...page, fetch }).json("GET", "/me"), {
    code: "REQUEST_FAILED",
    status: 200,
  });
});

test("values that JSON cannot hold are INVALID_BODY and not sent", async () => {
  const { fetch, calls } = fakeFetch(() => Response.json({}));
  const circle: unknown[] = [];
  circle.push(circle);
  for (const value of [circle, 1n, () => 1, Symbol("s")]) {
    await assert.rejects(createApi({ ...page, fetch }).json("PUT", "/a", value), {
      code: "INVALID_BODY",
      status: 400,
    });
  }
  assert.equal(calls.length, 0);
});

test("the first call reads the page's address, and no later one does", async () => {
  const { fetch, calls } = fakeFetch(() => Response.json({}));
  let looks = 0;
  const location = {
    get url() {
      looks++;
      return looks === 1 ? "http://localhost:3000/" : page.url;
    },
  };
  const easel = createEasel(Object.assign(location, { fetch }));
  assert.equal(looks, 0);
  await assert.rejects(easel.me(), { name: "EaselError", status: 0 });
  assert.equal(calls.length, 0);
  await easel.me();
  await easel.me();
  assert.equal(looks, 2);
  assert.deepEqual(new Set(calls.map(({ url }) => url)), new Set(["https://easel.example/v1/c/tea/me"]));
});

test("outside a browser the SDK loads, and the first call throws", async () => {
  await assert.rejects(createEasel().me(), { name: "EaselError", message: /not part of a canvas/ });
});

test("a token is sent with every request, and replaces a header of the caller", async () => {
  const { fetch, calls } = fakeFetch(() => Response.json({}));
  const api = createApi({ ...page, fetch, token: "easel_pat_1" });
  await api.json("PUT", "/a", 1);
  await api.send("GET", "/a", { headers: new Headers({ authorization: "Basic x", accept: "text/plain" }) });
  assert.deepEqual(
    calls.map(({ init }) => Object.fromEntries(new Headers(init.headers))),
    [
      { authorization: "Bearer easel_pat_1", "content-type": "application/json" },
      { accept: "text/plain", authorization: "Bearer easel_pat_1" },
    ],
  );
});

test("the parts for the page's own canvas read its address and `fetch` at the first call", async (t) => {
  await assert.rejects(kv.get("a"), { message: /not part of a canvas/ });
  const { fetch, calls } = fakeFetch(() => Response.json({ value: 1 }));
  t.mock.method(globalThis, "fetch", fetch);
  Object.assign(globalThis, { location: { href: page.url } });
  t.after(() => Reflect.deleteProperty(globalThis, "location"));
  assert.equal(await kv.get("a"), 1);
  assert.equal(calls[0]?.url, "https://easel.example/v1/c/tea/kv/a?optional=true");
});

test("search skips null and undefined", () => {
  assert.equal(search({}), "");
  assert.equal(search({ a: undefined, b: null }), "");
  assert.equal(search({ prefix: "", limit: 0 }), "?prefix=&limit=0");
  assert.equal(new URLSearchParams(search({ prefix: "ä&b=c/#+ %" })).get("prefix"), "ä&b=c/#+ %");
});

test("with `api`, requests and the realtime connection go to that address, whatever the page is", async () => {
  const { fetch, calls } = fakeFetch(() => Response.json({ files: [] }));
  const opened: string[] = [];
  class WebSocket {
    constructor(url: string) {
      opened.push(url);
    }
    close() {}
  }
  const easel = createEasel({
    api: "https://easel.example/api/canvases/c1/runtime",
    url: "https://easel.example/canvases/c1/data",
    fetch,
    WebSocket: WebSocket as unknown as typeof globalThis.WebSocket,
  });
  await easel.files.list();
  easel.kv.watch("", () => {})();
  assert.deepEqual(
    calls.map(({ url }) => url),
    ["https://easel.example/api/canvases/c1/runtime/files"],
  );
  assert.deepEqual(opened, ["wss://easel.example/api/canvases/c1/runtime/realtime"]);
  assert.equal(easel.files.url("f1"), "https://easel.example/api/canvases/c1/runtime/files/f1/content");
});
