/** E-mail address of the administrator in dev mode. */
const ADMINISTRATOR = "dev@example.com";
const JSON_TYPE = { "content-type": "application/json" };

/**
 * A client for the API of one canvas. Its requests have the cookie of a signed-in user and the headers that a browser sends for the page of
 * the canvas.
 */
export interface Page {
  /** The id of the canvas. */
  id: string;
  slug: string;
  /** The `Cookie` header of the canvas's owner. */
  cookie: string;
  /** Sends a request to a path below the canvas's API; throws if the response is not 2xx. */
  call(method: string, path: string, body?: string): Promise<Response>;
  /** Returns the full path and the headers of a request to a path below the canvas's API. */
  target(path: string): { path: string; headers: Record<string, string> };
  /** Returns the text of a complete HTTP/1.1 request to a path below the canvas's API. */
  request(method: string, path: string, body?: string): string;
}

/** Creates a private canvas with this policy and with its backend turned on. The user with the address `email` owns the canvas. */
export async function openPage(
  base: string,
  runtimePolicy: object | null = null,
  email = ADMINISTRATOR,
): Promise<Page> {
  const cookie = await signIn(base, email);
  const { id, slug } = await manage<{ id: string; slug: string }>(base, cookie, "POST", "/api/canvases", {
    title: "Bench",
  });
  await manage(base, cookie, "PATCH", `/api/canvases/${id}/capabilities`, {
    backendEnabled: true,
    runtimePolicy,
    expectedRuntimePolicy: null,
  });
  const headers = { cookie, "sec-fetch-site": "same-origin", referer: `${base}/c/${slug}/` };
  const at = (path: string) => `/v1/c/${slug}${path}`;

  return {
    id,
    slug,
    cookie,
    call: (method, path, body) => call(base + at(path), method, headers, body),
    target: (path) => ({ path: at(path), headers: { host: new URL(base).host, ...headers } }),
    request(method, path, body = "") {
      const type = method === "GET" ? {} : { ...JSON_TYPE, "content-length": Buffer.byteLength(body) };
      const lines = Object.entries({ host: new URL(base).host, ...headers, ...type });
      return `${method} ${at(path)} HTTP/1.1\r\n${lines.map(([name, text]) => `${name}: ${text}\r\n`).join("")}\r\n${body}`;
    },
  };
}

/** Creates the profile `profile`, which allows GET requests to `origin`, and grants it to the canvas of the page. */
export async function grantProfile(
  base: string,
  { id }: Page,
  profile: string,
  origin: string,
): Promise<void> {
  const at = `${base}/api/admin/connections/${profile}`;
  const headers = { cookie: await signIn(base, ADMINISTRATOR) };
  await call(at, "PUT", headers, JSON.stringify({ origin, methods: ["GET"] }));
  await call(`${at}/grants/${id}`, "PUT", headers, "{}");
}

/** Sets how many records a canvas may have. */
export const allowRecords = (base: string, records: number): Promise<void> =>
  setQuotas(base, { "collections.records.canvas": records });

/** Sets how many bytes the files of a canvas may have. */
export const allowFiles = (base: string, bytes: number): Promise<void> =>
  setQuotas(base, { "files.bytes.canvas": bytes });

/** Sets quotas for all canvases, by their names. */
export async function setQuotas(base: string, quotas: Record<string, number>): Promise<void> {
  await manage(base, await signIn(base, ADMINISTRATOR), "PATCH", "/api/admin/settings", { quotas });
}

/** Signs in and returns the `Cookie` header. */
async function signIn(base: string, email: string): Promise<string> {
  const answer = await call(`${base}/auth/dev/session`, "POST", {}, JSON.stringify({ email }));
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function manage<Answer>(base: string, cookie: string, method: string, path: string, body: object) {
  const answer = await call(base + path, method, { cookie }, JSON.stringify(body));
  return (await answer.json()) as Answer;
}

async function call(url: string, method: string, headers: Record<string, string>, body?: string) {
  const type = body === undefined ? {} : JSON_TYPE;
  const response = await fetch(url, { method, headers: { ...type, ...headers }, body: body ?? null });
  if (!response.ok) throw new Error(`${method} ${url} responded with ${response.status}.`);
  return response;
}
