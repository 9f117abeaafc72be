import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import http, { type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, type JWK, SignJWT } from "jose";
import { atEnd, PROXY, type Scope } from "../support/service.ts";

/** The issuer that the service in these tests expects in tokens, and below it the audience. */
export const ISSUER = "https://sign-in.example";
export const AUDIENCE = "easel";

/** The request header that carries a token. */
export const TOKEN_HEADER = "Cf-Access-Jwt-Assertion";

/** A key pair that signs tokens. */
export interface Key {
  kid: string;
  /** The public key as an entry of a key set. */
  jwk: JWK;
  publicKey: KeyObject;
  privateKey: KeyObject;
}

const PAIRS = {
  RS: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  PS: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ES384: () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
  ES512: () => generateKeyPairSync("ec", { namedCurve: "P-521" }),
  Ed: () => generateKeyPairSync("ed25519"),
};

/** Generates a key pair. `kid` is its key id. */
export async function newKey(kind: keyof typeof PAIRS, kid: string): Promise<Key> {
  const { publicKey, privateKey } = PAIRS[kind]();
  return { kid, jwk: { ...(await exportJWK(publicKey)), kid, use: "sig" }, publicKey, privateKey };
}

/** Returns the current time in seconds since the epoch. */
export const seconds = (): number => Math.floor(Date.now() / 1000);

/** Returns the claims of a valid token, changed by `own`; undefined omits a claim. */
export const claims = (own: Record<string, unknown> = {}): Record<string, unknown> => ({
  iss: ISSUER,
  aud: AUDIENCE,
  iat: seconds(),
  exp: seconds() + 3600,
  email: "ada@example.com",
  ...own,
});

/** Returns a token that is signed with the key. `own` and `header` change its claims and its header. */
export const sign = (
  key: Key,
  alg: string,
  own: Record<string, unknown> = {},
  header: object = {},
): Promise<string> =>
  new SignJWT(claims(own)).setProtectedHeader({ alg, kid: key.kid, ...header }).sign(key.privateKey);

/** Encodes an object or a text as one part of a token. */
export const part = (value: object | string): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** A local key server whose keys and responses a test can replace. */
export interface KeyServer {
  url: string;
  keys: unknown[];
  /** The number of requests that the key server has received. */
  fetches: number;
  /** Handles the requests instead of the key server; undefined: the key server sends its keys. */
  instead: RequestListener | undefined;
}

/** Starts a key server with these keys. */
export async function startKeyServer(scope: Scope, ...keys: Key[]): Promise<KeyServer> {
  const server = http.createServer((request, response) => {
    served.fetches++;
    if (served.instead !== undefined) return served.instead(request, response);
    response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: served.keys }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(scope, async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const served: KeyServer = {
    url: `http://127.0.0.1:${port}/keys`,
    keys: keys.map(({ jwk }) => jwk),
    fetches: 0,
    instead: undefined,
  };
  return served;
}

/** Settings of a service that accepts tokens signed by keys of this server. */
export const signedBy = ({ url }: Pick<KeyServer, "url">): Record<string, string> => ({
  ...PROXY,
  SERVICE_PROXY_JWT_JWKS_URL: url,
  SERVICE_PROXY_JWT_ISSUER: ISSUER,
  SERVICE_PROXY_JWT_AUDIENCE: AUDIENCE,
});
