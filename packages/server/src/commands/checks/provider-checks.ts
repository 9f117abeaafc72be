import type { Config } from "../../config/config.ts";
import { type Row, rowsOf } from "./row.ts";

const TIMEOUT_MS = 10_000;

/** Checks where people sign in: the discovery document of the provider, or the keys of the proxy. */
export async function checkSignIn(config: Config, origin: string): Promise<Row[]> {
  if (config.authMode === "oidc")
    return rowsOf("provider", () => checkProvider(config, origin), "See SERVICE_OIDC_ISSUER");
  if (config.authMode === "proxy" && config.proxyJwksUrl !== null)
    return rowsOf("proxy keys", () => checkKeys(config.proxyJwksUrl ?? ""), "See SERVICE_PROXY_JWT_JWKS_URL");
  return [];
}

async function readJson(address: string): Promise<Record<string, unknown>> {
  const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  const document = await response.json().catch(() => null);
  if (document === null || typeof document !== "object") throw new Error(`${address} is no JSON object`);
  return document as Record<string, unknown>;
}

async function checkProvider(config: Config, origin: string): Promise<Row[]> {
  const issuer = config.oidcIssuer ?? "";
  const found = await readJson(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const row = (state: Row["state"], message: string): Row => ({ name: "provider", state, message });
  if (String(found.issuer).replace(/\/$/, "") !== issuer.replace(/\/$/, ""))
    return [
      row("failed", `its document names the issuer \`${found.issuer}\`: set SERVICE_OIDC_ISSUER to that`),
    ];
  const claims = Array.isArray(found.claims_supported) ? found.claims_supported : null;
  return [
    row("ok", `${issuer} answers; the redirect URI to register there is ${origin}/auth/callback`),
    ...(config.oidcEmailVerified === "required" && claims !== null && !claims.includes("email_verified")
      ? [
          row(
            "warning",
            "it does not list `email_verified` among its claims: sign-ins are refused unless it says that addresses are verified; see SERVICE_OIDC_EMAIL_VERIFIED",
          ),
        ]
      : []),
    ...(config.allowedEmailDomains.length === 0
      ? [
          row(
            "warning",
            "everybody with an account there may sign in: set SERVICE_ALLOWED_EMAIL_DOMAINS if strangers can have one",
          ),
        ]
      : []),
  ];
}

async function checkKeys(address: string): Promise<string> {
  const { keys } = await readJson(address);
  if (!Array.isArray(keys) || keys.length === 0) throw new Error(`${address} has no keys`);
  return `${address} has ${keys.length} ${keys.length === 1 ? "key" : "keys"}`;
}
