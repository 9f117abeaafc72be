import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";

/** A published page, with complete HTTP/1.1 requests of browsers that navigate to it for the second time. */
export interface Published {
  signedIn: string;
  publicLink: string;
}

/** Publishes one page as a Public link, as dev mode's administrator. */
export async function publish(base: string, html: string): Promise<Published> {
  const session = cookiesOf(await call(base, "", "POST", "/auth/dev/session", '{"email":"dev@example.com"}'));
  const made = await call(base, session, "POST", "/api/canvases", '{"title":"Page"}');
  const { id, slug } = (await made.json()) as { id: string; slug: string };
  await call(base, session, "PUT", `/api/canvases/${id}/bundle`, await bundleOf(html));
  await call(base, session, "PUT", `/api/canvases/${id}/sharing`, '{"access":"public_link"}');
  const path = `/c/${slug}/`;
  const first = await call(base, session, "GET", path);
  const version = cookiesOf(first);
  return {
    signedIn: request(base, path, `${session}; ${version}`),
    publicLink: request(base, path, version),
  };
}

function bundleOf(html: string): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(html), "index.html");
  zip.end();
  return buffer(zip.outputStream);
}

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

async function call(base: string, cookie: string, method: string, path: string, body?: string | Buffer) {
  const type = typeof body === "string" ? "application/json" : "application/zip";
  const headers = {
    cookie,
    ...(body === undefined ? { "sec-fetch-dest": "document" } : { "content-type": type }),
  };
  const response = await fetch(base + path, { method, headers, body: body ?? null });
  if (!response.ok)
    throw new Error(`${method} ${path} responded with ${response.status}: ${await response.text()}`);
  return response;
}
