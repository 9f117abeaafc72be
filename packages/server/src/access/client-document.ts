import { redirectKind } from "./redirect-uri.ts";

/** Why a document cannot be used, as a sentence for people in ASCII without quotation marks. */
export class UnusableDocument extends Error {}

/** What a client says of itself in the document at its client id (draft-ietf-oauth-client-id-metadata-document-03, section 4). */
export interface ClientDocument {
  /** The text of `client_name`, as the client has written it; null if there is none. */
  name: string | null;
  /** Those of its redirect URIs that a program may have; at least one. */
  redirectUris: string[];
}

const MAX_ID_LENGTH = 500;
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d+)?$/;

/**
 * Parses a client id that is the URL of a document. Returns null unless it is an https URL with a path, without a user, a fragment or dot
 * segments, in the spelling to which it is normalised: client ids are compared as texts.
 */
export function documentUrl(clientId: string): URL | null {
  if (clientId.length > MAX_ID_LENGTH || !clientId.startsWith("https://") || /[#\s]/.test(clientId))
    return null;
  const url = URL.parse(clientId);
  if (url === null || url.href !== clientId || url.pathname === "/" || !HOST.test(url.host)) return null;
  return url.username === "" && url.password === "" ? url : null;
}

/**
 * Whether a client needs no secret at the token endpoint. Some state the method that they prefer, and besides it all that they can use. Without
 * a method a secret would be meant (RFC 7591, section 2), but a client with a document cannot have one.
 */
const canBePublic = ({
  token_endpoint_auth_method: preferred = "none",
  token_endpoint_auth_methods_supported: all,
}: Partial<Record<string, unknown>>): boolean =>
  preferred === "none" || (Array.isArray(all) && all.includes("none"));

/** Reads the document of a client. Throws `UnusableDocument`. */
export function readClientDocument(bytes: Uint8Array, clientId: string): ClientDocument {
  const fields = parseObject(bytes);
  if (fields.client_id !== clientId)
    throw new UnusableDocument("Its description is that of another program.");
  if ("client_secret" in fields) throw new UnusableDocument("Its description contains a secret.");
  if (!canBePublic(fields))
    throw new UnusableDocument(
      "It wants to prove itself by a key or secret, which this service does not support.",
    );
  const given = Array.isArray(fields.redirect_uris) ? fields.redirect_uris : [];
  const redirectUris = given.filter(
    (uri): uri is string => typeof uri === "string" && redirectKind(uri) !== null,
  );
  if (redirectUris.length === 0)
    throw new UnusableDocument("Its description has no address to which it may return.");
  return { name: typeof fields.client_name === "string" ? fields.client_name : null, redirectUris };
}

/** Refuses bytes that are no UTF-8. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parseObject(bytes: Uint8Array): Partial<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(bytes));
  } catch {
    value = null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UnusableDocument("Its description is no JSON object.");
  return value as Partial<Record<string, unknown>>;
}
