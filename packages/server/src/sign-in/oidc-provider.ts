import type { ClientAuth, Configuration } from "openid-client";
import { staysPrivate } from "../config/config.ts";
import type { Env } from "../env.ts";
import { causeOf, OidcError, oidcErrorOf } from "./oidc-error.ts";
import type { Proof } from "./oidc-flow.ts";

const FRESH = 60 * 60_000;
const TIMEOUT_SECONDS = 10;
const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const;

type Protocol = typeof import("openid-client");

/** What the provider says about a person: of any type, whatever the protocol asks for. */
export type Claims = Readonly<Record<string, unknown>>;

/** The OpenID Connect provider of this service. What fails is an OidcFault. */
export interface Provider {
  /** Where a browser goes to sign in. `anew`: even if the provider remembers it. */
  authorization(proof: Proof, callback: URL, anew: boolean): Promise<URL>;
  /** Who comes back: `callback` has what the provider answered. Everything about the answer has been checked. */
  claims(proof: Proof, callback: URL): Promise<Claims>;
}

/** Nothing is asked of the provider, and its protocol is not even loaded, before the first sign-in. */
export function openProvider(env: Env): Provider {
  const described = keepDescribed(env);
  const guarded = async <Result>(act: (oidc: Protocol, provider: Configuration) => Promise<Result>) => {
    try {
      return await act(await import("openid-client"), await described());
    } catch (error) {
      throw oidcErrorOf(error);
    }
  };
  return {
    authorization: (proof, callback, anew) =>
      guarded(async (oidc, provider) =>
        oidc.buildAuthorizationUrl(provider, {
          redirect_uri: callback.href,
          scope: env.config.oidcScopes,
          state: proof.state,
          nonce: proof.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(proof.pkceVerifier),
          code_challenge_method: "S256",
          // Unlike `prompt`, nobody refuses it.
          ...(anew && { max_age: "0" }),
        }),
      ),
    claims: (proof, callback) =>
      guarded(async (oidc, provider) => {
        const tokens = await oidc.authorizationCodeGrant(provider, callback, {
          expectedState: proof.state,
          expectedNonce: proof.nonce,
          pkceCodeVerifier: proof.pkceVerifier,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new OidcError("broken", "no ID token");
        if (claims.email !== undefined || provider.serverMetadata().userinfo_endpoint === undefined)
          return claims;
        return oidc.fetchUserInfo(provider, tokens.access_token, claims.sub);
      }),
  };
}

/** The provider as it describes itself: one question at a time; asked anew after an hour, while the old answer still serves. */
function keepDescribed(env: Env): () => Promise<Configuration> {
  let known: { provider: Configuration; until: number } | undefined;
  let asking: Promise<Configuration> | undefined;
  const ask = () => {
    asking ??= discover(env)
      .then((provider) => {
        known = { provider, until: env.clock() + FRESH };
        return provider;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  return async () => {
    if (known === undefined) return ask();
    if (known.until <= env.clock())
      ask().catch((error) => env.log.warn({ why: causeOf(error) }, "the sign-in service does not answer"));
    return known.provider;
  };
}

async function discover({ config }: Env): Promise<Configuration> {
  const oidc = await import("openid-client");
  const { oidcIssuer, oidcClientId, oidcClientSecret: secret } = config;
  const issuer = new URL(oidcIssuer ?? "");
  const auth = secret === null ? oidc.None() : bySecret(secret, oidc);
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
    if (!URL.canParse(address) || !staysPrivate(address))
      throw new OidcError("broken", `${name} is neither https nor on this computer`);
  }
  return provider;
}

/** In the header, as is the rule, unless the provider names only other ways. */
function bySecret(secret: string, oidc: Protocol): ClientAuth {
  const inHeader = oidc.ClientSecretBasic(secret);
  const inBody = oidc.ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (ways.includes("client_secret_basic") ? inHeader : inBody)(server, client, body, headers);
  };
}
