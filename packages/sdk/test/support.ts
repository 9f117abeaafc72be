import type { Fetch } from "../src/options.ts";

/** A request to a fake fetch; `segments` are the decoded path segments after `/v1/c/{slug}`. */
export interface Call {
  url: string;
  path: string;
  segments: string[];
  init: RequestInit;
}

/** Creates a fetch that records every request in `calls` and responds with `answer`. */
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

/** Options of `createEasel` for a page of the canvas `tea`, whose address has the slug in its path. */
export const page = { url: "https://easel.example/c/tea/index.html?a=1#b" };

const RIGHT = { own: true, any: false };

/** Creates a fake of the routes under `/submissions`, in memory, for one person (specification 4.9). */
function fakeSubmissions() {
  const answers = new Map<string, unknown>();
  return ([collection = "", whose]: string[], method: string, body: unknown): Response => {
    const answer = () => ({ userId: "u-1", value: answers.get(collection), updatedAt: 1 });
    if (method === "PUT") answers.set(collection, body);
    if (method === "DELETE") answers.delete(collection);
    if (method === "DELETE") return Response.json({ ok: true });
    if (whose === undefined) return Response.json({ entries: [answer()], nextCursor: null });
    return answers.has(collection)
      ? Response.json(answer())
      : Response.json({ code: "NOT_FOUND" }, { status: 404 });
  };
}

/** Creates a fake of the routes under `/collections`, in memory, with one collection (specification 4.10). */
function fakeCollections() {
  const records = new Map<string, unknown>();
  const view = (id: string) => ({ id, authorId: "u-1", value: records.get(id), updatedAt: 1 });
  return ([, id]: string[], method: string, body: unknown): Response => {
    if (id === "permissions") return Response.json({ read: RIGHT, update: RIGHT });
    const named = method === "POST" ? `r-${records.size}` : (id ?? "");
    if (method === "PUT" || method === "POST") records.set(named, body);
    if (method === "DELETE") return Response.json({ ok: records.delete(named) });
    return Response.json(
      id === undefined && method === "GET"
        ? { entries: [...records.keys()].map(view), nextCursor: null }
        : view(named),
    );
  };
}

/** Creates a fake of the routes under `/files`, in memory (specification 4.4). */
function fakeFiles() {
  const files = new Map<string, object>();
  return ([id]: string[], method: string, body: unknown): Response => {
    if (method === "POST") {
      const { name, size } = (body as FormData).get("file") as File;
      const url = `/v1/c/tea/files/f-${files.size}/content`;
      const file = { id: `f-${files.size}`, name, size };
      files.set(file.id, file);
      return Response.json({ ...file, url }, { status: 201 });
    }
    if (id === undefined) return Response.json({ files: [...files.values()], nextCursor: null });
    if (method === "DELETE") return Response.json({ ok: files.delete(id) });
    return Response.json({ ...files.get(id), ...Object(body) });
  };
}

/** Creates a fake of the routes under `/authoring`, in memory, with one canvas (specification 4.8). */
function fakeAuthoring() {
  const canvases = new Map<string, object>([["c-0", { id: "c-0", title: "Tea", updatedAt: 1 }]]);
  return ([id = `c-${canvases.size}`]: string[], method: string, body: unknown): Response => {
    if (method === "GET") return Response.json({ canvases: [...canvases.values()] });
    if (method === "DELETE") return new Response(null, { status: 204 });
    const settings = JSON.parse(String((body as FormData).get("metadata")));
    const url = `https://easel.example/c/${id}/`;
    canvases.set(id, { ...canvases.get(id), id, url, publicationStatus: "published", ...settings });
    return Response.json(canvases.get(id));
  };
}

/** The response of a model that says `Tea.` in two deltas (specification 4.5). */
function fakeChat(): Response {
  const usage = {
    inputTokens: 12,
    outputTokens: 2,
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: 0,
  };
  const events = [
    { type: "delta", text: "Te" },
    { type: "delta", text: "a." },
    { type: "done", usage, cost: 0.0001 },
  ];
  return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
}

/** The user that `GET /me` returns. This user may send GET requests through the Connection `weather`. */
const VIEWER = {
  id: "u-1",
  name: "Ada",
  canvasRole: "owner",
  resources: { connections: { weather: { invoke: true, methods: ["GET"] } }, models: ["m"] },
};

/** Answers `GET /people?ids=…`: returns the name `Ada` for every requested id. */
const fakePeople = (url: string): Response => {
  const ids = new URL(url).searchParams.get("ids")?.split(",") ?? [];
  return Response.json({ people: ids.map((id) => ({ id, name: VIEWER.name, avatarUrl: null })) });
};

/** The response of an external API, as the service passes it on (specification 4.6). */
const fakeUpstream = (): Response =>
  Response.json(
    { current: { temperature_2m: 21 } },
    { headers: { "x-service-connection-response": "upstream" } },
  );

/**
 * Creates a fake service in memory, with one canvas: `/me`, `/people`, both KV scopes, submissions, records, files, authoring, AI and a Connection.
 */
export function fakeService(): ReturnType<typeof fakeFetch> {
  const submissions = fakeSubmissions();
  const collections = fakeCollections();
  const files = fakeFiles();
  const authoring = fakeAuthoring();
  const scopes = { shared: new Map<string, unknown>(), user: new Map<string, unknown>() };
  return fakeFetch(({ url, segments: [primitive, ...rest], init }) => {
    if (primitive === "me") return Response.json(VIEWER);
    if (primitive === "people") return fakePeople(url);
    if (primitive === "connections") return fakeUpstream();
    if (primitive === "ai") return fakeChat();
    const body = typeof init.body === "string" ? JSON.parse(init.body) : init.body;
    if (primitive === "submissions") return submissions(rest, String(init.method), body);
    if (primitive === "collections") return collections(rest, String(init.method), body);
    if (primitive === "files") return files(rest, String(init.method), body);
    if (primitive === "authoring") return authoring(rest, String(init.method), body);
    const scope = rest[0] === "user" ? scopes.user : scopes.shared;
    const [key, action] = rest[0] === "user" ? rest.slice(1) : rest;
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
