import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "./config.ts";
import { warningsOf } from "./warnings.ts";

const PROXY = {
  SERVICE_AUTH_MODE: "proxy",
  SERVICE_PROXY_TRUSTED_IPS: "127.0.0.1",
  SERVICE_SESSION_SECRET: "a secret of the tests that is long enough",
  SERVICE_BASE_URL: "https://easel.example.com",
  SERVICE_PROXY_SECRET: "a secret of the proxy that is long enough",
};
const { SERVICE_PROXY_SECRET: _, ...WITHOUT_SECRET } = PROXY;
const SIGNED = {
  SERVICE_PROXY_JWT_JWKS_URL: "https://keys.example.com",
  SERVICE_PROXY_JWT_ISSUER: "https://keys.example.com",
  SERVICE_PROXY_JWT_AUDIENCE: "easel",
};

const OIDC = {
  ...PROXY,
  SERVICE_AUTH_MODE: "oidc",
  SERVICE_URL_MODE: "subdomain",
  SERVICE_OIDC_ISSUER: "https://accounts.example",
  SERVICE_OIDC_CLIENT_ID: "easel",
};

const ROWS: [settings: Record<string, string>, warnings: RegExp[]][] = [
  [{}, []],
  [{ ...PROXY, SERVICE_URL_MODE: "path" }, [/^path mode does not isolate/]],
  [{ ...PROXY, SERVICE_URL_MODE: "subdomain" }, []],
  [{ ...WITHOUT_SECRET, SERVICE_URL_MODE: "subdomain" }, [/SERVICE_PROXY_SECRET.*X-Service-Proxy-Secret/]],
  [{ ...WITHOUT_SECRET, ...SIGNED, SERVICE_URL_MODE: "subdomain" }, []],
  [{ SERVICE_URL_MODE: "subdomain", SERVICE_BASE_URL: "http://localhost:3000" }, [/one-word host/]],
  [OIDC, [/^everyone with an account at SERVICE_OIDC_ISSUER/]],
  [{ ...OIDC, SERVICE_ALLOWED_EMAIL_DOMAINS: "acme.test" }, []],
  [{ ...OIDC, SERVICE_OIDC_GROUPS_CLAIM: "groups", SERVICE_OIDC_ALLOWED_GROUPS: "staff" }, []],
  [{ SERVICE_AUTHORING: "on" }, [/SERVICE_AUTHORING_SCOPE=canvas/]],
  [{ SERVICE_AUTHORING: "on", SERVICE_AUTHORING_SCOPE: "person" }, [/SERVICE_AUTHORING_SCOPE=canvas/]],
  [{ SERVICE_AUTHORING: "on", SERVICE_AUTHORING_SCOPE: "canvas" }, []],
  [{ SERVICE_AUTHORING: "off" }, []],
  [
    { SERVICE_BLOBS_URL: "s3://tea?endpoint=http://seaweed:8333" },
    [/^the endpoint in SERVICE_BLOBS_URL is http/],
  ],
  [{ SERVICE_BLOBS_URL: "s3://tea?endpoint=http://localhost:8333" }, []],
  [{ SERVICE_BLOBS_URL: "s3://tea?endpoint=https://seaweed:8333" }, []],
];

for (const [settings, warnings] of ROWS) {
  test(`${JSON.stringify(settings)}: ${warnings.length} warnings at the start`, () => {
    const said = warningsOf(readConfig(settings));
    assert.equal(said.length, warnings.length, said.join("\n"));
    for (const [index, warning] of warnings.entries()) assert.match(said[index] ?? "", warning);
  });
}

test("another scope of authoring stops the start", () => {
  assert.throws(() => readConfig({ SERVICE_AUTHORING_SCOPE: "own" }), /SERVICE_AUTHORING_SCOPE holds `own`/);
});
