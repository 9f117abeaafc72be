import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Answer } from "@easel/conformance/http";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { atEnd, type Scope, startService } from "../support/service.ts";
import { CLIENT, oidcSettings } from "./oidc-provider.ts";
import { Visitor } from "./oidc-visitor.ts";

type Json = Record<string, unknown>;

/** The path of the discovery document. */
export const DESCRIPTION = "/.well-known/openid-configuration";

/** The claims in the ID tokens of the fake provider by default. */
export const HONEST = {
  sub: "account",
  email: "fake@example.com",
  email_verified: true,
} as const;

/** A fake OpenID Connect provider whose responses a test can replace. Its authorization codes are the nonces of the ID tokens. */
export interface Fake {
  issuer: string;
  /** The paths that were requested, in order. */
  asked: string[];
  /** The token requests so far: the Authorization header and the form of each. */
  presented: { authorization: string | undefined; form: Record<string, string> }[];
  /** Claims that the ID token has besides issuer, audience, nonce and times, or instead of them. */
  claims: Json;
  /** Creates the ID token from its claims. */
  sign: (claims: Json) => Promise<string> | string;
  /** Responses that replace the usual ones, keyed by path. Null: no response at all. A null `body`: a response that never ends. */
  answers: Record<string, { status: number; body: unknown } | null>;
  /** Whether the provider closes every connection without a response. */
  hangsUp: boolean;
  /** Replaces the keys of the provider. */
  rotate(): Promise<void>;
  key(): { privateKey: CryptoKey; publicKey: JWK };
  /** Resets everything that a test has replaced. */
  reset(): void;
}

async function newKey(): Promise<{ privateKey: CryptoKey; publicKey: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const kid = randomBytes(4).toString("hex");
  return { privateKey, publicKey: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
}

/** Starts a fake provider; `stop` stops it before the end of the scope. */
export async function startFake(scope: Scope): Promise<Fake & { stop(): Promise<unknown> }> {
  let key = await newKey();
  const sign: Fake["sign"] = (claims) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", kid: String(key.publicKey.kid) })
      .sign(key.privateKey);

  const server = createServer(async (request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    fake.asked.push(path);
    const told = fake.answers[path];
    if (told === null) return;
    if (told !== undefined) return answer(response, told.status, told.body);
    const honest = ENDPOINTS[path];
    if (honest === undefined) return answer(response, 404, {});
    answer(response, 200, await honest(request));
  });
  server.on("connection", (socket) => {
    if (fake.hangsUp) socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  atEnd(scope, stop);

  const ENDPOINTS: Record<string, (request: IncomingMessage) => Promise<Json> | Json> = {
    [DESCRIPTION]: () => description(issuer),
    "/keys": () => ({ keys: [key.publicKey] }),
    "/userinfo": () => ({ ...HONEST, ...fake.claims }),
    async "/token"(request) {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      fake.presented.push({
        authorization: request.headers.authorization,
        form: Object.fromEntries(form),
      });
      const now = Math.floor(Date.now() / 1000);
      const token = { iss: issuer, aud: CLIENT, nonce: form.get("code"), iat: now, exp: now + 60 };
      return {
        access_token: "the access token",
        token_type: "Bearer",
        expires_in: 60,
        id_token: await fake.sign({ ...token, ...HONEST, ...fake.claims }),
      };
    },
  };
  const honesty = () => ({ claims: {}, sign, answers: {} });
  const fake: Fake = {
    issuer,
    asked: [],
    presented: [],
    hangsUp: false,
    ...honesty(),
    async rotate() {
      key = await newKey();
    },
    key: () => key,
    reset: () => void Object.assign(fake, honesty()),
  };
  return Object.assign(fake, { stop });
}

/** Returns a valid discovery document of a provider. */
export const description = (issuer: string): Json => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  userinfo_endpoint: `${issuer}/userinfo`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256", "HS256", "none"],
  code_challenge_methods_supported: ["S256"],
});

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  if (body === null) response.flushHeaders();
  else response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** Starts a service with its own fake provider. */
export async function startWithFake(scope: Scope, settings: Record<string, string> = {}) {
  const fake = await startFake(scope);
  return { fake, ...(await startService(scope, { ...oidcSettings(fake.issuer), ...settings })) };
}

/** Starts a sign-in at a fake provider; returns the URL of the callback. */
export async function wayBack(base: string, visitor: Visitor, returnTo?: string): Promise<URL> {
  const { searchParams } = new URL(await visitor.login(base, returnTo));
  const back = new URL(`${base}/auth/callback`);
  back.searchParams.set("code", searchParams.get("nonce") ?? "");
  back.searchParams.set("state", searchParams.get("state") ?? "");
  return back;
}

/** Signs in at a fake provider; returns the service's response to the callback. */
export const signIn = async (base: string, visitor = new Visitor(), returnTo?: string): Promise<Answer> =>
  visitor.get((await wayBack(base, visitor, returnTo)).href);
