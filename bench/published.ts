import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";

/**
 * Two complete HTTP/1.1 requests for the same page: one by a signed-in user, one by an anonymous visitor of the Public link. Both send the
 * version cookie that a browser has after it has opened the page.
 */
export interface Published {
  signedIn: string;
  publicLink: string;
}

/**
 * Signs in as dev mode's administrator, creates a canvas with a Public link, and deploys `versions` bundles to it. Each bundle has `files`
 * files besides `index.html`; in the last bundle, `index.html` is `html`. Returns two requests for the page: one of the administrator, one
 * of an anonymous visitor.
 */
export async function publish(
  base: string,
  html: string,
  { files = 0, versions = 1 } = {},
): Promise<Published> {
  const session = await signIn(base);
  const { id, slug } = await createCanvas(base, session);
  const others = Array.from({ length: files }, (_, index) => [`${index}.html`, textOf(html.length)]);
  for (let left = versions - 1; left >= 0; left--) {
    const bundle = { "index.html": left === 0 ? html : textOf(html.length), ...Object.fromEntries(others) };
    await call(base, session, "PUT", `/api/canvases/${id}/bundle`, await zipOf(bundle));
  }
  await call(base, session, "PUT", `/api/canvases/${id}/sharing`, '{"access":"public_link"}');
  const path = `/c/${slug}/`;
  const first = await call(base, session, "GET", path);
  const version = cookiesOf(first);
  return {
    signedIn: request(base, path, `${session}; ${version}`),
    publicLink: request(base, path, version),
  };
}

/** Deploys a page to a canvas, and returns a complete HTTP/1.1 request for the page with this `Cookie` header of its owner. */
export async function publishPage(
  base: string,
  { id, slug, cookie }: { id: string; slug: string; cookie: string },
  html: string,
): Promise<string> {
  await call(base, cookie, "PUT", `/api/canvases/${id}/bundle`, await zipOf({ "index.html": html }));
  const path = `/c/${slug}/`;
  const version = cookiesOf(await call(base, cookie, "GET", path));
  return request(base, path, `${cookie}; ${version}`);
}

/** Signs in as dev mode's administrator and returns the `Cookie` header. */
export const signIn = async (base: string): Promise<string> =>
  cookiesOf(await call(base, "", "POST", "/auth/dev/session", '{"email":"dev@example.com"}'));

/** Creates a private canvas. */
export async function createCanvas(base: string, session: string): Promise<{ id: string; slug: string }> {
  const made = await call(base, session, "POST", "/api/canvases", '{"title":"Page"}');
  return (await made.json()) as { id: string; slug: string };
}

/** Returns a zip. Each key of `files` is the path of a file in the zip, and the value is the content of that file. */
export function zipOf(files: Record<string, string>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path);
  zip.end();
  return buffer(zip.outputStream);
}

/** Returns a random text that compresses to about a third of its length. */
export const textOf = (length: number): string =>
  randomBytes(length / 3)
    .toString("hex")
    .padEnd(length, "words and numbers ")
    .slice(0, length);

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

function request(base: string, path: string, cookie: string): string {
  const headers = {
    host: new URL(base).host,
    "sec-fetch-site": "none",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
    accept: "text/html",
    cookie,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Sends a request and returns the response. Throws if it is not 2xx. */
export async function call(
  base: string,
  cookie: string,
  method: string,
  path: string,
  body?: string | Buffer,
) {
  const type = typeof body === "string" ? "application/json" : "application/octet-stream";
  const headers = {
    cookie,
    ...(body === undefined ? { "sec-fetch-dest": "document" } : { "content-type": type }),
  };
  const response = await fetch(base + path, { method, headers, body: body ?? null });
  if (!response.ok)
    throw new Error(`${method} ${path} responded with ${response.status}: ${await response.text()}`);
  return response;
}
