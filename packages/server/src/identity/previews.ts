import type { PreviewLink } from "@easel/protocol/types";
import type { Member, User } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { isToken, newId, newToken, tokenHash } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { apiPath } from "../http/canvas-path.ts";
import { cookiesNamed, setCookie } from "../http/request-headers.ts";
import type { Caller, Identified, StoredCredential } from "./credential.ts";
import { acceptsTokens } from "./tokens.ts";
import { type UserRow, userOf } from "./users.ts";

/*
 * A preview shows one version of a canvas in one browser, by a link that works once (decision 088). A link that is `signedIn` also starts a
 * session of its maker, which reads this canvas and nothing else. The session is a row of its own kind: the base host does not know its
 * cookie, and it ends with the credential with which the link was made.
 */

/** The path, below the canvas's URL, of links to previews. */
export const PREVIEW = "__preview";

/** The time within which a link must be opened. */
const LINK_MS = 10 * 60_000;
/** The lifetime of the session that a link starts. */
const SESSION_MS = 10 * 60_000;

/** The links to previews, with the sessions that they have started. */
export const previewData: CanvasData = {
  tables: { previews: { key: ["id"] } },
  people: { previews: { ids: ["user_id"], erased: "removed", exported: null } },
  cleanUps: [
    {
      what: "previews",
      keptMs: 0,
      remove: (until, { db }) => db.withReserve.run`delete from previews where expires_at <= ${until}`,
    },
  ],
};

/** A row of the view `preview_makers`: a link, with the columns of its maker. */
type Row = UserRow & {
  preview: string;
  canvas_id: string;
  version_id: string;
  signed_in: number;
  expires_at: number;
};

/** A preview that a link stands for: its maker, and the version that it shows. */
export interface Preview {
  id: string;
  maker: Member;
  /** The name of the program that has made the link for its maker; null if it was none. */
  client: string | null;
  version: string;
  signedIn: boolean;
}

/** Creates a link to a preview. Returns its URL, of which only a hash is stored, and until when it can be opened. */
export async function createPreview(
  { user, credential }: Pick<Caller<User>, "user" | "credential">,
  canvas: { id: string; slug: string },
  { version, signedIn }: { version: string; signedIn: boolean },
  { db, clock, base }: Env,
): Promise<PreviewLink> {
  const code = newToken();
  const expiresAt = clock() + LINK_MS;
  const by = credential === null || credential.kind === "assertion" ? null : credential.id;
  await db.run`
    insert into previews (id, code_hash, canvas_id, version_id, user_id, credential, signed_in, expires_at)
    values (${newId()}, ${tokenHash(code)}, ${canvas.id}, ${version}, ${user.id}, ${by}, ${Number(signedIn)}, ${expiresAt})`;
  return { url: `${base.canvasUrl(canvas.slug)}${PREVIEW}?code=${code}`, expiresAt };
}

/**
 * Finds the preview of a canvas by the code of its link. Returns null if there is none, if the link has been opened or has expired, or if its
 * maker is deactivated or signed out of the session or token that made it.
 */
export async function findPreview(
  code: string,
  canvasId: string,
  { db, clock }: Env,
): Promise<Preview | null> {
  if (!isToken(code)) return null;
  const now = clock();
  const row = await db.get<Row & { client: string | null }>`
    select *, (select client_name from previews join tokens on tokens.id = credential join apps on apps.id = app_id
        where previews.id = preview) as client
    from preview_makers where code_hash = ${tokenHash(code)} and canvas_id = ${canvasId}
      and opened_at is null and expires_at > ${now} and credential_until > ${now}`;
  const maker = userOf(row);
  if (row === undefined || maker === null) return null;
  const { preview: id, version_id: version, signed_in: signedIn, client } = row;
  return { id, maker, client, version, signedIn: signedIn === 1 };
}

/** Records that the link to a preview has been opened. Returns false if it has been before. From now on, a session that it starts is valid. */
export async function openPreview({ id, signedIn }: Preview, { db, clock }: Env): Promise<boolean> {
  const now = clock();
  const end = signedIn ? now + SESSION_MS : now;
  return (
    (await db.run`update previews set opened_at = ${now}, expires_at = ${end} where id = ${id} and opened_at is null`) ===
    1
  );
}

const COOKIE = "easel_preview_session";

/**
 * Returns the `Set-Cookie` headers for the session of a preview, or those that delete its cookies if `preview` is null. Browsers send the
 * cookie to the pages and the runtime API of this canvas, and for the script of the SDK.
 */
export function previewCookies(slug: string, preview: Preview | null, { base, signer }: Env): string[] {
  const value = preview === null ? "" : `${preview.id}.${signer.sign("preview-session", preview.id)}`;
  const options = { maxAge: preview === null ? 0 : SESSION_MS, secure: base.secure };
  const domain = base.urlMode === "subdomain" ? { domain: base.hostname } : {};
  return [
    setCookie(COOKIE, value, { ...options, path: new URL(base.canvasUrl(slug)).pathname }),
    ...[apiPath(slug), "/sdk/v1.js"].map((path) => setCookie(COOKIE, value, { ...options, ...domain, path })),
  ];
}

/** Whether a `Cookie` header may have the session of a preview. */
export const mayPreview = (header: string | undefined): header is string => header?.includes(COOKIE) === true;

/**
 * Finds the user of the session of a preview in a `Cookie` header: the maker of its link, who may only read the canvas of the preview. Returns
 * null if there is no valid session, or none of the canvas with the id `canvasId`. If that is undefined, accepts any canvas.
 */
export async function findPreviewer(
  header: string,
  canvasId: string | null | undefined,
  env: Env,
): Promise<Identified<StoredCredential> | null> {
  if (!acceptsTokens(env.config)) return null;
  for (const value of cookiesNamed(header, COOKIE)) {
    const [id = "", signature = "", ...more] = value.split(".");
    if (more.length > 0 || !env.signer.verifies(signature, "preview-session", id)) continue;
    const found = await previewerById(id, env);
    if (found !== null && (canvasId === undefined || found.user.restriction?.canvasId === canvasId))
      return found;
  }
  return null;
}

/** Finds the user of the session of a preview by its id. Returns null if there is no valid session. */
export async function previewerById(
  id: string,
  { db, clock }: Env,
): Promise<Identified<StoredCredential> | null> {
  const now = clock();
  const row = await db.get<Row>`
    select * from preview_makers where preview = ${id}
      and opened_at is not null and expires_at > ${now} and credential_until > ${now}`;
  const user = userOf(row);
  if (row === undefined || user === null) return null;
  return {
    user: { ...user, restriction: { scope: "read", canvasId: row.canvas_id, reportsErrors: true } },
    credential: { kind: "preview", id, until: row.expires_at },
  };
}
