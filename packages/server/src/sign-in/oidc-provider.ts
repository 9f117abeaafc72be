import type { ClientAuth, Configuration } from "openid-client";
import { isProtectedUrl } from "../config/config.ts";
import type { Jwks } from "../crypto/jwks.ts";
import type { Env } from "../env.ts";
import { type Claims, combined, needsUserinfo } from "./oidc-claims.ts";
import { causeOf, OidcError, oidcErrorOf } from "./oidc-error.ts";
import type { Proof } from "./oidc-flow.ts";

const METADATA_MAX_AGE_MS = 60 * 60_000;
const TIMEOUT_SECONDS = 10;
const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const;

type Protocol = typeof import("openid-client");

/** The configured OpenID Connect provider. Its methods reject with an OidcError. */
export interface Provider {
  /**
   * Returns the URL to which the browser is redirected to sign in. With `anew`, the provider must ask the user to sign in even if the user
   * has a session there.
   */
  authorization(proof: Proof, callback: URL, anew: boolean): Promise<URL>;
  /** Exchanges the authorization code in the URL `callback` for the claims about the user, and the ID token. Returns verified claims. */
  claims(proof: Proof, callback: URL): Promise<{ claims: Claims; idToken: string }>;
  /**
   * Returns the URL at which a browser ends its session at the provider, and from which it comes back to `back`. Null if the provider has none.
   */
  signOut(idToken: string | undefined, back: URL): Promise<URL | null>;
  /** Returns the issuer as the provider calls itself, and its keys. */
  signer(): Promise<{ issuer: string; keys: Jwks }>;
}

/** Returns the configured provider. Its metadata and the library `openid-client` are loaded only at the first sign-in. */
export function openProvider(env: Env): Provider {
  const configuration = cachedConfiguration(env);
  let keys: { address: string; jwks: Jwks } | undefined;
  const withProvider = async <Result>(act: (oidc: Protocol, provider: Configuration) => Promise<Result>) => {
    try {
      return await act(await import("openid-client"), await configuration());
    } catch (error) {
      throw oidcErrorOf(error);
    }
  };
  return {
    authorization: (proof, callback, anew) =>
      withProvider(async (oidc, provider) =>
        oidc.buildAuthorizationUrl(provider, {
          redirect_uri: callback.href,
          scope: env.config.oidcScopes,
          state: proof.state,
          nonce: proof.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(proof.pkceVerifier),
          code_challenge_method: "S256",
          ...(env.config.oidcAcrValues !== null && { acr_values: env.config.oidcAcrValues }),
          ...(env.config.oidcMaxAge !== null && { max_age: String(env.config.oidcMaxAge) }),
          // `max_age: 0` makes the user sign in again. Unlike `prompt`, it is supported by every provider.
          ...(anew && { max_age: "0" }),
        }),
      ),
    claims: (proof, callback) =>
      withProvider(async (oidc, provider) => {
        const tokens = await oidc.authorizationCodeGrant(provider, callback, {
          expectedState: proof.state,
          expectedNonce: proof.nonce,
          pkceCodeVerifier: proof.pkceVerifier,
        });
        const claims = tokens.claims();
        if (claims === undefined || tokens.id_token === undefined)
          throw new OidcError("invalid_response", "no ID token");
        const asks =
          provider.serverMetadata().userinfo_endpoint !== undefined && needsUserinfo(claims, env.config);
        const info = asks ? await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub) : {};
        return { claims: combined(claims, info, env.config), idToken: tokens.id_token };
      }),
    signOut: (idToken, back) =>
      withProvider(async (oidc, provider) => {
        const { end_session_endpoint: end = "" } = provider.serverMetadata();
        if (!URL.canParse(end) || !isProtectedUrl(end)) return null;
        return oidc.buildEndSessionUrl(provider, {
          post_logout_redirect_uri: back.href,
          ...(idToken !== undefined && { id_token_hint: idToken }),
        });
      }),
    signer: () =>
      withProvider(async (_oidc, provider) => {
        const { issuer, jwks_uri: address = "" } = provider.serverMetadata();
        const { Jwks } = await import("../crypto/jwks.ts");
        if (keys?.address !== address) keys = { address, jwks: new Jwks(address, env.log) };
        return { issuer, keys: keys.jwks };
      }),
  };
}

/**
 * Returns a function that resolves with the metadata of the provider. The first call fetches the metadata. A call more than an hour later
 * still resolves with the old metadata, and fetches new metadata in the background.
 */
function cachedConfiguration(env: Env): () => Promise<Configuration> {
  let known: { provider: Configuration; until: number } | undefined;
  let pending: Promise<Configuration> | undefined;
  const refresh = () => {
    pending ??= discover(env)
      .then((provider) => {
        known = { provider, until: env.clock() + METADATA_MAX_AGE_MS };
        return provider;
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };
  return async () => {
    if (known === undefined) return refresh();
    if (known.until <= env.clock())
      refresh().catch((error) =>
        env.log.warn({ why: causeOf(error) }, "refreshing the metadata of the OpenID provider failed"),
      );
    return known.provider;
  };
}

async function discover({ config }: Env): Promise<Configuration> {
  const oidc = await import("openid-client");
  const { oidcIssuer, oidcClientId, oidcClientSecret: secret } = config;
  const issuer = new URL(oidcIssuer ?? "");
  const auth = secret === null ? oidc.None() : secretAuth(secret, oidc);
  const provider = await oidc.discovery(issuer, oidcClientId ?? "", undefined, auth, {
    timeout: TIMEOUT_SECONDS,
    execute: [
      oidc.enableNonRepudiationChecks,
      ...(issuer.protocol === "http:" ? [oidc.allowInsecureRequests] : []),
    ],
  });
  const metadata = provider.serverMetadata();
  const needed =
    metadata.userinfo_endpoint === undefined ? ENDPOINTS : ([...ENDPOINTS, "userinfo_endpoint"] as const);
  for (const name of needed) {
    const address = metadata[name] ?? "";
    if (!URL.canParse(address) || !isProtectedUrl(address))
      throw new OidcError("invalid_response", `${name} is neither https nor a loopback address`);
  }
  return provider;
}

/**
 * Returns the function by which `openid-client` adds the client secret to a request: in the `Authorization` header, or in the body if the
 * provider does not support the header.
 */
function secretAuth(secret: string, oidc: Protocol): ClientAuth {
  const inHeader = oidc.ClientSecretBasic(secret);
  const inBody = oidc.ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? inHeader : inBody)(server, client, body, headers);
  };
}
