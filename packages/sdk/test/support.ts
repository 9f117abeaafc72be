import type { Fetch } from "../src/request.ts";

/** A request as a fake fetch saw it; `segments` are those behind `/v1/c/{slug}`, decoded. */
export interface Call {
  url: string;
  path: string;
  segments: string[];
  init: RequestInit;
}

/** A fetch that hands every request to `answer` and keeps it in `calls`. */
export function fakeFetch(answer: (call: Call) => Response | Promise<Response>): {
  fetch: Fetch;
  calls: Call[];
} {
  const calls: Call[] = [];
  const fetch: Fetch = async (url, init) => {
    const path = url.replace(/^https?:\/\/[^/]+\/v1\/c\/[^/]+/, "");
    const { pathname } = new URL(url);
    const call = { url, path, segments: pathname.split("/").slice(4).map(decodeURIComponent), init };
    calls.push(call);
    return answer(call);
  };
  return { fetch, calls };
}

/** A canvas page in path mode. */
export const page = { href: "https://easel.example/c/tea/index.html?a=1#b" };

/** A service that holds one canvas: `/me`, and both KV scopes in memory (specification 4.2 and 4.3). */
export function fakeService(): ReturnType<typeof fakeFetch> {
  const scopes = { shared: new Map<string, unknown>(), user: new Map<string, unknown>() };
  return fakeFetch(({ url, segments: [primitive, ...rest], init }) => {
    if (primitive === "me") return Response.json({ id: "u-1", name: "Ada", canvasRole: "owner" });
    const scope = rest[0] === "user" ? scopes.user : scopes.shared;
    const [key, action] = rest[0] === "user" ? rest.slice(1) : rest;
    const body = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    if (key === undefined) {
      const prefix = new URL(url).searchParams.get("prefix") ?? "";
      const keys = [...scope.keys()].filter((each) => each.startsWith(prefix)).sort();
      return Response.json({
        entries: keys.map((each) => ({ key: each, value: scope.get(each) })),
        nextCursor: null,
      });
    }
    if (action === "increment") {
      scope.set(key, Number(scope.get(key) ?? 0) + body.by);
      return Response.json({ value: scope.get(key) });
    }
    if (init.method === "PUT") scope.set(key, body);
    if (init.method === "DELETE") scope.delete(key);
    if (init.method !== "GET") return Response.json({ ok: true });
    return scope.has(key)
      ? Response.json({ value: scope.get(key) })
      : Response.json({ code: "NOT_FOUND", message: "There is no such key." }, { status: 404 });
  });
}
