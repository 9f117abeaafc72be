import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { ConfigError, readConfig, unknownVariables } from "./config.ts";
import { SETTINGS } from "./settings.ts";

type Environment = Record<string, string>;

const proxy: Environment = {
  SERVICE_AUTH_MODE: "proxy",
  SERVICE_SESSION_SECRET: "s".repeat(32),
  SERVICE_PROXY_TRUSTED_IPS: "10.0.0.0/8",
};

const signed: Environment = {
  ...proxy,
  SERVICE_PROXY_TRUSTED_IPS: "",
  SERVICE_PROXY_JWT_JWKS_URL: "https://keys.example/certs",
  SERVICE_PROXY_JWT_ISSUER: "https://keys.example",
  SERVICE_PROXY_JWT_AUDIENCE: "easel",
};

const oidc: Environment = {
  SERVICE_AUTH_MODE: "oidc",
  SERVICE_SESSION_SECRET: "s".repeat(32),
  SERVICE_OIDC_ISSUER: "https://accounts.example",
  SERVICE_OIDC_CLIENT_ID: "easel",
};

function mistakesOf(environment: Environment): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError, `${error}`);
    for (const mistake of error.mistakes) assert.ok(error.message.includes(mistake));
    return error.mistakes;
  }
}

test("defaults in dev mode", () => {
  const { authMode, host, port, baseUrl, urlMode, adminEmails, databaseUrl, blobsUrl, busUrl } = readConfig(
    {},
  );
  assert.deepEqual(
    { authMode, host, port, baseUrl, urlMode, adminEmails, databaseUrl, blobsUrl, busUrl },
    {
      authMode: "dev",
      host: "127.0.0.1",
      port: 3000,
      baseUrl: null,
      urlMode: "path",
      adminEmails: ["dev@example.com"],
      databaseUrl: "sqlite:data/easel.db",
      blobsUrl: "file:data/blobs",
      busUrl: "memory:",
    },
  );
});

test("defaults behind a proxy: every interface, no administrator", () => {
  const { host, adminEmails, proxyEmailHeader, proxyNameHeader } = readConfig(proxy);
  assert.deepEqual([host, adminEmails], ["0.0.0.0", []]);
  assert.equal(proxyEmailHeader, "X-Auth-Request-Email");
  assert.equal(proxyNameHeader, "X-Auth-Request-Preferred-Username");
});

test("an empty variable counts as unset", () => {
  const empty = Object.fromEntries(Object.values(SETTINGS).map(({ variable }) => [variable, ""]));
  assert.deepEqual(readConfig(empty), readConfig({}));
});

/** Valid combinations of environment variables. */
const possible: Environment[] = [
  { SERVICE_HOST: "localhost" },
  { SERVICE_HOST: "127.9.9.9" },
  { SERVICE_BASE_URL: "http://localhost:8080" },
  { SERVICE_BASE_URL: "http://easel.localhost:8080/" },
  { SERVICE_BASE_URL: "http://[::1]:8080" },
  { SERVICE_BASE_URL: "http://127.0.0.1" },
  { SERVICE_BASE_URL: "http://localhost", SERVICE_URL_MODE: "subdomain" },
  proxy,
  { ...proxy, SERVICE_BASE_URL: "https://easel.example" },
  { ...proxy, SERVICE_BASE_URL: "http://localhost:3000" },
  { ...proxy, SERVICE_BASE_URL: "https://easel.example", SERVICE_URL_MODE: "subdomain" },
  { ...proxy, SERVICE_BASE_URL: "https://192.0.2.1" },
  signed,
  { ...signed, SERVICE_PROXY_JWT_JWKS_URL: "http://127.0.0.1:8080/keys?a=b" },
  { ...signed, SERVICE_PROXY_JWT_JWKS_URL: "http://[::1]/keys" },
  { ...signed, SERVICE_PROXY_TRUSTED_IPS: "10.0.0.5" },
  { SERVICE_PROXY_JWT_JWKS_URL: "http://keys.example" },
  oidc,
  { ...oidc, SERVICE_OIDC_CLIENT_SECRET: "secret" },
  { ...oidc, SERVICE_OIDC_ISSUER: "https://accounts.example/realms/a@b/" },
  { ...oidc, SERVICE_OIDC_ISSUER: "http://127.0.0.1:8080" },
  { ...oidc, SERVICE_OIDC_ISSUER: "http://[::1]:8080" },
  { SERVICE_OIDC_ISSUER: "http://accounts.example" },
];
for (const environment of possible) {
  test(`possible: ${JSON.stringify(environment)}`, () => assert.deepEqual(mistakesOf(environment), []));
}

const { SERVICE_SESSION_SECRET: _, ...withoutSecret } = proxy;
const { SERVICE_PROXY_TRUSTED_IPS: __, ...withoutPeers } = proxy;

/** Invalid combinations of environment variables, each with a pattern of its error message. */
const impossible: [environment: Environment, says: RegExp][] = [
  [{ SERVICE_HOST: "0.0.0.0" }, /^SERVICE_HOST must be a loopback address in dev mode/],
  [{ SERVICE_HOST: "::" }, /^SERVICE_HOST must be a loopback/],
  [{ SERVICE_HOST: "notlocalhost" }, /^SERVICE_HOST must be a loopback/],
  [{ SERVICE_HOST: "127.0.0.1.example.com" }, /^SERVICE_HOST must be a loopback/],
  [{ SERVICE_BASE_URL: "https://easel.example" }, /^SERVICE_BASE_URL must be a loopback address in dev mode/],
  [{ SERVICE_BASE_URL: "http://localhost.example" }, /^SERVICE_BASE_URL must be a loopback/],
  [
    { ...proxy, SERVICE_BASE_URL: "http://easel.example" },
    /^SERVICE_BASE_URL must be https outside dev mode/,
  ],
  [{ SERVICE_BASE_URL: "http://localhost/easel" }, /^SERVICE_BASE_URL must be an origin/],
  [{ SERVICE_BASE_URL: "http://localhost/?a" }, /^SERVICE_BASE_URL must be an origin/],
  [{ SERVICE_BASE_URL: "http://localhost/#a" }, /^SERVICE_BASE_URL must be an origin/],
  [
    { SERVICE_BASE_URL: "http://127.0.0.1", SERVICE_URL_MODE: "subdomain" },
    /^SERVICE_BASE_URL must be a name/,
  ],
  [{ SERVICE_BASE_URL: "http://[::1]", SERVICE_URL_MODE: "subdomain" }, /^SERVICE_BASE_URL must be a name/],
  [
    { SERVICE_WORKERS: "2", SERVICE_DATABASE_URL: "postgres://localhost/easel" },
    /^SERVICE_WORKERS above 1 needs .* SERVICE_BUS_URL/,
  ],
  [withoutSecret, /^SERVICE_SESSION_SECRET is required outside dev mode/],
  [withoutPeers, /^SERVICE_PROXY_TRUSTED_IPS or SERVICE_PROXY_JWT_JWKS_URL is required/],
  [
    { ...proxy, SERVICE_PROXY_TRUSTED_IPS: " , " },
    /^SERVICE_PROXY_TRUSTED_IPS or SERVICE_PROXY_JWT_JWKS_URL/,
  ],
  [{ ...oidc, SERVICE_OIDC_ISSUER: "" }, /^SERVICE_OIDC_ISSUER is required when SERVICE_AUTH_MODE is `oidc`/],
  [{ ...oidc, SERVICE_OIDC_CLIENT_ID: "" }, /^SERVICE_OIDC_CLIENT_ID is required/],
  [{ ...oidc, SERVICE_SESSION_SECRET: "" }, /^SERVICE_SESSION_SECRET is required/],
  [{ ...oidc, SERVICE_OIDC_ISSUER: "http://accounts.example" }, /^SERVICE_OIDC_ISSUER must be https/],
  [{ ...oidc, SERVICE_OIDC_ISSUER: "http://localhost.example" }, /^SERVICE_OIDC_ISSUER must be https/],
  [{ ...oidc, SERVICE_OIDC_ISSUER: "http://10.0.0.1" }, /^SERVICE_OIDC_ISSUER must be https/],
  [{ ...oidc, SERVICE_OIDC_ISSUER: "https://a:b@accounts.example" }, /^SERVICE_OIDC_ISSUER .* hold no user/],
  [
    { ...oidc, SERVICE_OIDC_ISSUER: "https://accounts.example/?a=b" },
    /^SERVICE_OIDC_ISSUER must be the issuer alone/,
  ],
  [
    { ...oidc, SERVICE_OIDC_ISSUER: "https://accounts.example/?" },
    /^SERVICE_OIDC_ISSUER must be the issuer alone/,
  ],
  [
    { ...oidc, SERVICE_OIDC_ISSUER: "https://accounts.example/#a" },
    /^SERVICE_OIDC_ISSUER must be the issuer alone/,
  ],
  [
    { ...oidc, SERVICE_OIDC_ISSUER: "https://accounts.example/.well-known/openid-configuration" },
    /^SERVICE_OIDC_ISSUER must be the issuer alone/,
  ],
  [{ ...oidc, SERVICE_OIDC_SCOPES: "email profile" }, /^SERVICE_OIDC_SCOPES must name `openid`/],
  [{ ...signed, SERVICE_PROXY_JWT_ISSUER: "" }, /^SERVICE_PROXY_JWT_ISSUER is required with/],
  [{ ...signed, SERVICE_PROXY_JWT_AUDIENCE: "" }, /^SERVICE_PROXY_JWT_AUDIENCE is required with/],
  ...["http://keys.example", "http://127.0.0.1.example/keys", "https://ada:secret@keys.example"].map(
    (address): [Environment, RegExp] => [
      { ...signed, SERVICE_PROXY_JWT_JWKS_URL: address },
      /^SERVICE_PROXY_JWT_JWKS_URL must be https/,
    ],
  ),
  [
    { SERVICE_BLOBS_URL: "s3://bucket" },
    /^SERVICE_BLOBS_URL needs a region: add `region=`, or set AWS_REGION/,
  ],
  ...[
    "redis:",
    "redis://",
    "redis:///0",
    "redis://localhost/one",
    "redis://localhost/0/1",
    "redis://localhost/0#x",
    "redis://localhost?tls=off",
    "redis://localhost?prefix=",
    "redis://localhost?prefix=a%20b",
  ].map((address): [Environment, RegExp] => [
    { SERVICE_BUS_URL: address },
    /^SERVICE_BUS_URL must be `memory:`, or `redis:\/\/` or `rediss:\/\/` with a host/,
  ]),
];
for (const [environment, says] of impossible) {
  test(`impossible: ${JSON.stringify(environment)}`, () => {
    const mistakes = mistakesOf(environment);
    assert.equal(mistakes.length, 1, mistakes.join("\n"));
    assert.match(mistakes[0] ?? "", says);
  });
}

test("impossible: nodes in dev mode that share a database and a bus, each with a secret of its own", () => {
  const shared = { SERVICE_DATABASE_URL: "postgres://localhost/easel", SERVICE_BUS_URL: "redis://localhost" };
  const says = (environment: Environment) =>
    mistakesOf(environment).some((each) => /^SERVICE_SESSION_SECRET is required when nodes share/.test(each));
  assert.ok(says(shared));
  assert.ok(!says({ SERVICE_BUS_URL: shared.SERVICE_BUS_URL }));
  assert.ok(!says({ ...shared, SERVICE_SESSION_SECRET: "s".repeat(32) }));
});

test("impossible: workers on SQLite", () => {
  const [database, bus, ...more] = mistakesOf({ SERVICE_WORKERS: "2" });
  assert.match(database ?? "", /^SERVICE_WORKERS above 1 needs PostgreSQL in SERVICE_DATABASE_URL/);
  assert.match(bus ?? "", /SERVICE_BUS_URL/);
  assert.deepEqual(more, []);
  assert.deepEqual(mistakesOf({ SERVICE_WORKERS: "1" }), []);
});

/** Environment variables with invalid values. */
const unreadable: Environment = {
  SERVICE_AUTH_MODE: "magic",
  SERVICE_PORT: "70000",
  SERVICE_URL_MODE: "Path",
  SERVICE_BASE_URL: "easel.example",
  SERVICE_DATABASE_URL: "mysql://user:hunter2@host/db",
  SERVICE_BUS_URL: "amqp://user:hunter2@host",
  SERVICE_SESSION_SECRET: `${"s".repeat(40)},hunter2`,
  SERVICE_ENCRYPTION_KEY: Buffer.from("hunter2").toString("base64"),
  SERVICE_ADMIN_EMAILS: "ada",
  SERVICE_ALLOWED_EMAIL_DOMAINS: "@example.com",
  SERVICE_PROXY_TRUSTED_IPS: "10.0.0.0/33",
  SERVICE_PROXY_EMAIL_HEADER: "X Email",
  SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "0",
  SERVICE_AI_PRICES: '{"m":{"input":-1}}',
  SERVICE_LOG_LEVEL: "loud",
};

test("all mistakes are reported at once, with the variable, its value and the valid values", () => {
  const mistakes = mistakesOf(unreadable);
  const told = Object.fromEntries(mistakes.map((mistake) => [mistake.split(" ")[0], mistake]));
  assert.deepEqual(Object.keys(told).sort(), Object.keys(unreadable).sort());
  for (const mistake of mistakes) assert.match(mistake, /^SERVICE_\w+ holds .+; it may hold .+/);
  assert.equal(told.SERVICE_PORT, "SERVICE_PORT holds `70000`; it may hold a whole number from 0 to 65535");
});

test("secrets are never printed", () => {
  const message = mistakesOf(unreadable).join("\n");
  assert.doesNotMatch(message, /hunter2|aHVudGVyMg|sssss/);
  assert.match(message, /SERVICE_SESSION_SECRET holds its value \(not shown\)/);
});

test("an unparsable setting suppresses only the rules that read it", () => {
  const told = mistakesOf({ SERVICE_PORT: "x", SERVICE_AUTH_MODE: "y", SERVICE_BLOBS_URL: "s3://bucket" });
  assert.deepEqual(
    told.map((mistake) => mistake.split(" ")[0]),
    ["SERVICE_AUTH_MODE", "SERVICE_PORT", "SERVICE_BLOBS_URL"],
  );
});

for (const [variable, given] of [
  ["SERVICE_DATABASE_URL", "sqlite:"],
  ["SERVICE_BLOBS_URL", "file:"],
  ["SERVICE_AI_PRICES", "5"],
  ["SERVICE_AI_PRICES", "[]"],
  ["SERVICE_BASE_URL", "http://a:b@localhost"],
] as const) {
  test(`${variable}=${given} is a mistake`, () => assert.equal(mistakesOf({ [variable]: given }).length, 1));
}

test("several invalid combinations are reported at once", () => {
  const mistakes = mistakesOf({ SERVICE_AUTH_MODE: "proxy", SERVICE_BLOBS_URL: "s3://bucket" });
  assert.deepEqual(
    mistakes.map((mistake) => mistake.split(" ")[0]),
    ["SERVICE_SESSION_SECRET", "SERVICE_PROXY_TRUSTED_IPS", "SERVICE_BLOBS_URL"],
  );
});

for (const address of [
  "memory:",
  "redis://localhost",
  "redis://[::1]:6380/",
  "rediss://ada:p%40ss@cache.example:6380/15?prefix=easel-2",
])
  test(`SERVICE_BUS_URL=${address} is valid`, () =>
    assert.equal(readConfig({ SERVICE_BUS_URL: address }).busUrl, address));

test("unknown variables with the prefix of settings are reported", () => {
  assert.deepEqual(
    unknownVariables({ SERVICE_PROT: "1", SERVICE_PORT: "1", PATH: "x", SERVICE_HOST: undefined }),
    ["SERVICE_PROT"],
  );
});

test("the service does not start while the environment turns the verification of certificates off", () => {
  assert.throws(
    () => readConfig({ NODE_TLS_REJECT_UNAUTHORIZED: "0" }),
    (error) => error instanceof ConfigError && error.message.includes("NODE_TLS_REJECT_UNAUTHORIZED"),
  );
  assert.doesNotThrow(() => readConfig({ NODE_TLS_REJECT_UNAUTHORIZED: "1" }));
});

test("a secret can be in a file, whose last line break is no part of it", (t) => {
  const directory = mkdtempSync(path.join(os.tmpdir(), "easel-secrets-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const fileWith = (text: string) => {
    const file = path.join(directory, String(text.length));
    writeFileSync(file, text);
    return file;
  };
  const { SERVICE_SESSION_SECRET: secret = "", ...others } = proxy;
  for (const end of ["", "\n", "\r\n"])
    assert.deepEqual(
      readConfig({ ...others, SERVICE_SESSION_SECRET_FILE: fileWith(secret + end) }),
      readConfig(proxy),
    );
  assert.deepEqual(readConfig({ SERVICE_AI_API_KEY_FILE: fileWith("two\n\n") }).aiApiKey, "two\n");
  assert.deepEqual(readConfig({ ...proxy, SERVICE_SESSION_SECRET_FILE: "" }), readConfig(proxy));
  assert.deepEqual(unknownVariables({ SERVICE_SESSION_SECRET_FILE: "x", SERVICE_HOST_FILE: "x" }), [
    "SERVICE_HOST_FILE",
  ]);
  assert.deepEqual(
    mistakesOf({
      ...proxy,
      SERVICE_SESSION_SECRET_FILE: fileWith(secret),
      SERVICE_AI_API_KEY_FILE: path.join(directory, "none"),
      SERVICE_ENCRYPTION_KEY_FILE: fileWith("hunter2"),
      SERVICE_OIDC_CLIENT_SECRET_FILE: fileWith("\n"),
      SERVICE_DATABASE_URL_FILE: directory,
    }).sort(),
    [
      "SERVICE_AI_API_KEY_FILE names a file that cannot be read (ENOENT)",
      "SERVICE_DATABASE_URL_FILE names a file that cannot be read (EISDIR)",
      "SERVICE_OIDC_CLIENT_SECRET_FILE names a file that is empty",
      "SERVICE_SESSION_SECRET and SERVICE_SESSION_SECRET_FILE are both set: remove one of them",
      "the file of SERVICE_ENCRYPTION_KEY_FILE holds its value (not shown); it may hold one or more keys of 32 bytes in base64, separated by commas",
    ],
  );
  // Somebody may have set the secret itself.
  assert.doesNotMatch(mistakesOf({ SERVICE_AI_API_KEY_FILE: "hunter2" }).join(), /hunter2/);
  // A mistake in the file is told alone, not also that the secret is missing.
  assert.equal(mistakesOf({ ...others, SERVICE_SESSION_SECRET_FILE: directory }).length, 1);
});
const strict = { ...oidc, SERVICE_ALLOWED_EMAIL_DOMAINS: "acme.test" };
const loose = { ...strict, SERVICE_OIDC_EMAIL_VERIFIED: "if_present" };
const entra = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`;
for (const [name, environment, mistakes] of [
  ["an unverified address of a domain", loose, []],
  ["of any domain", { ...loose, SERVICE_ALLOWED_EMAIL_DOMAINS: "" }, [/^SERVICE_ALLOWED_EMAIL_DOMAINS is/]],
  ["of a tenant", { ...loose, SERVICE_OIDC_ISSUER: entra("0f0f") }, []],
  ...["common", "Organizations", "consumers", "9188040d-6c67-4c5b-b112-36a304b66dad"].map(
    (tenant) =>
      [
        `of ${tenant}`,
        { ...loose, SERVICE_OIDC_ISSUER: entra(tenant) },
        [/^SERVICE_OIDC_EMAIL_VERIFIED must not/],
      ] as const,
  ),
  ["of any tenant, which must be verified", { ...strict, SERVICE_OIDC_ISSUER: entra("common") }, []],
  ["another claim", { ...loose, SERVICE_OIDC_EMAIL_CLAIM: "upn" }, []],
  [
    "another claim that must be verified",
    { ...strict, SERVICE_OIDC_EMAIL_CLAIM: "upn" },
    [/must be `if_present`/],
  ],
  [
    "groups without a claim",
    { ...strict, SERVICE_OIDC_ADMIN_GROUPS: "a" },
    [/^SERVICE_OIDC_GROUPS_CLAIM is/],
  ],
  [
    "groups in headers",
    { ...proxy, SERVICE_OIDC_GROUPS_CLAIM: "groups" },
    [/^SERVICE_PROXY_JWT_JWKS_URL is/],
  ],
  ["groups in a signed token", { ...signed, SERVICE_OIDC_GROUPS_CLAIM: "groups" }, []],
] as const) {
  test(`identity, ${name}: ${mistakes.length} mistakes`, () => {
    const found = mistakesOf(environment);
    assert.equal(found.length, mistakes.length, found.join("\n"));
    for (const [at, mistake] of mistakes.entries()) assert.match(found[at] ?? "", mistake);
  });
}
