import type { IncomingHttpHeaders } from "node:http";
import type { Canvas } from "../canvases/access-lookup.ts";
import { admitsAnonymous } from "../canvases/publication-status.ts";
import { isId } from "../crypto/ids.ts";
import type { ServedFile } from "../drivers/canvas-content.ts";
import type { Env } from "../env.ts";
import { destinationOf } from "../http/cross-site.ts";
import { cookiesNamed, setCookie } from "../http/request-headers.ts";

/**
 * Matches file names of the types to which build tools add hashes: scripts, styles, WebAssembly and fonts. Images, documents and data do
 * not match, because people also use codes in their names.
 */
const BUILT = /[-.](?<code>[\w-]{8,64})(\.(chunk|min|bundle))?\.(js|mjs|css|wasm|woff2?)(\.map)?$/;

/**
 * The format of the hashes that a build tool puts into file names. `changes` is the minimum number of times that a hash switches between
 * lower-case letters, upper-case letters, digits and other characters. `a1b2` switches 3 times.
 */
interface Form {
  form: RegExp;
  changes: number;
}

const FORMS: Form[] = [
  { form: /^[0-9a-f]{8,64}$/, changes: 3 }, //  webpack, Parcel: hexadecimal
  { form: /^[A-Z2-7]{8}$/, changes: 3 }, //     esbuild: base 32
  // Vite, Rollup: base 64 for URLs
  { form: /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?!.*[_-].*[_-])[\w-]{8}$/, changes: 5 },
];

const CLASSES = /[a-z]+|[A-Z]+|\d+|[_-]+/g;

const changesIn = (code: string): number => (code.match(CLASSES)?.length ?? 1) - 1;

/**
 * Whether a file name contains a hash of the content, such as `index-DkT3xq9Z.js`. In doubt, returns false: a wrong `true` would keep an
 * old file in browsers for a year, while a wrong `false` costs a conditional request. So a hash that looks like a word, a date, a version
 * or a counter does not count.
 */
export function isHashedName(path: string): boolean {
  const stem = BUILT.exec(path.slice(path.lastIndexOf("/") + 1))?.groups?.code;
  if (stem === undefined) return false;
  // The hash may be the part after the last hyphen or, if the hash itself contains a hyphen, the last eight characters.
  const codes = [stem.slice(stem.lastIndexOf("-") + 1), /(?:^|-)(.{8})$/.exec(stem)?.[1] ?? ""];
  return FORMS.some(({ form, changes }) =>
    codes.some((code) => form.test(code) && changesIn(code) >= changes),
  );
}

/** The time for which browsers keep a file with a hash of its content in its name: one year. */
const KEPT_SECONDS = 31_536_000;
/**
 * The time for which a shared cache, such as a CDN, may serve a file without revalidation. When a Public link is withdrawn, such a cache
 * may go on serving the canvas's files for this time.
 */
const SHARED_SECONDS = 300;

/** Whether everyone can open the canvas without a session or a password. */
const isPublic = (canvas: Canvas, now: number): boolean =>
  canvas.passwordHash === null && admitsAnonymous(canvas, now);

/**
 * Returns the `Cache-Control` header of a file. Browsers keep files with a hash of the content in their name, and revalidate all others.
 * Shared caches store only files of canvases with a Public link, except HTML pages and responses that set a cookie.
 */
export function cacheControl(
  { path, mime }: ServedFile,
  canvas: Canvas,
  { setsCookie, now }: { setsCookie: boolean; now: number },
): string {
  const isShared = !setsCookie && !mime.startsWith("text/html") && isPublic(canvas, now);
  const visibility = isShared ? "public" : "private";
  if (!isHashedName(path)) return `${visibility}, no-cache`;
  const left = canvas.expiresAt === null ? SHARED_SECONDS : Math.floor((canvas.expiresAt - now) / 1000);
  const shared = isShared ? `, s-maxage=${Math.min(SHARED_SECONDS, left)}` : "";
  return `${visibility}, max-age=${KEPT_SECONDS}${shared}, immutable`;
}

const COOKIE = "easel_version";
/** The time for which a replaced version is still served to pages that were loaded from it. */
export const GRACE_MS = 5 * 60 * 1000;

/** Whether a request loads a page rather than a subresource. A request without Fetch Metadata headers counts as one for a page. */
export const isPage = (headers: IncomingHttpHeaders) => destinationOf(headers) !== "part";

/**
 * Returns the version to serve, so that a page load never mixes two versions (decision 005). A page gets the current version. Its
 * subresources get the version that the page's cookie names, until five minutes after that version was replaced.
 */
export async function versionFor(
  headers: IncomingHttpHeaders,
  canvas: Canvas,
  env: Env,
): Promise<string | null> {
  const [pinned] = cookiesNamed(headers.cookie, COOKIE);
  if (isPage(headers) || pinned === undefined || pinned === canvas.versionId || !isId(pinned))
    return canvas.versionId;
  const known = await env.db.get<{ id: string }>`
    select id from versions
    where id = ${pinned} and canvas_id = ${canvas.id} and state = 'stored'
      and replaced_at > ${env.clock() - GRACE_MS}`;
  return known?.id ?? canvas.versionId;
}

/**
 * Returns a `Set-Cookie` header with the version of a page, so that the page's subresources come from the same version. Returns undefined
 * if the request is not for a page or already has this cookie.
 */
export function pinCookie(headers: IncomingHttpHeaders, canvas: Canvas, { base }: Env): string | undefined {
  if (["unknown", "part"].includes(destinationOf(headers)) || canvas.versionId === null) return undefined;
  if (cookiesNamed(headers.cookie, COOKIE)[0] === canvas.versionId) return undefined;
  const path = new URL(base.canvasUrl(canvas.slug)).pathname;
  return setCookie(COOKIE, canvas.versionId, { secure: base.secure, path });
}
