import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig, shownText } from "./config.ts";
import { SETTINGS } from "./settings.ts";

const SECRET = "marked-as-a-secret-of-more-than-32-bytes";

/** A valid text of each secret setting, which contains the mark where its format allows. */
const SECRETS: Record<string, string> = {
  SERVICE_DATABASE_URL: `postgres://easel:${SECRET}@db.internal/easel`,
  SERVICE_BUS_URL: `rediss://:${SECRET}@bus.internal:6379/0`,
  SERVICE_PROXY_SECRET: SECRET,
  SERVICE_SESSION_SECRET: SECRET,
  SERVICE_ENCRYPTION_KEY: Buffer.alloc(32, SECRET).toString("base64"),
  SERVICE_OIDC_CLIENT_SECRET: SECRET,
  SERVICE_AI_API_KEY: SECRET,
  SERVICE_SCIM_TOKEN: SECRET,
  SERVICE_SMTP_URL: `smtps://easel:${SECRET}@mail.internal:465`,
};

test("every secret setting is masked in what administrators see", () => {
  const secret = Object.values(SETTINGS).filter((each) => "secret" in each && each.secret === true);
  assert.deepEqual(secret.map(({ variable }) => variable).sort(), Object.keys(SECRETS).sort());
  const { given } = readConfig({
    ...SECRETS,
    SERVICE_AUTH_MODE: "dev",
    SERVICE_MAIL_FROM: "easel@acme.test",
  });
  assert.equal(Object.keys(given).length, secret.length + 2);
  for (const [name, text] of Object.entries(given)) {
    if (name === "authMode") assert.equal(text, "dev");
    else if (name === "mailFrom") assert.equal(text, "easel@acme.test");
    else assert.equal(text, "••••••••", name);
  }
});

const addresses: [given: string, shown: string][] = [
  ["https://ai.internal/v1", "https://ai.internal/v1"],
  [`https://me:${SECRET}@ai.internal/v1`, "https://••••••••@ai.internal/v1"],
  [`https://${SECRET}@ai.internal/`, "https://••••••••@ai.internal/"],
  [`https:me:${SECRET}@ai.internal`, "https://••••••••@ai.internal/"],
  [`https://ai.internal/?key=${SECRET}`, "https://ai.internal/?••••••••"],
  [`http://ai.internal/v1?a=b&key=${SECRET}#x`, "http://ai.internal/v1?••••••••#x"],
  [
    "s3://bucket/prefix?endpoint=https%3A%2F%2Fs3.internal&region=eu",
    "s3://bucket/prefix?endpoint=https%3A%2F%2Fs3.internal&region=eu",
  ],
  [`s3://id:${SECRET}@bucket`, "s3://••••••••@bucket"],
  [`https://${SECRET}@ai.internal/100%/x`, "https://••••••••@ai.internal/100%/x"],
  ["file:/var/lib/easel/100%/blobs", "file:/var/lib/easel/100%/blobs"],
  ["ada@acme.test, bo@acme.test", "ada@acme.test, bo@acme.test"],
  ["10.0.0.0/8,::1", "10.0.0.0/8,::1"],
  ["claude-sonnet-4-5", "claude-sonnet-4-5"],
];
for (const [given, shown] of addresses)
  test(`of another setting with ${JSON.stringify(given.replace(SECRET, "…"))} no secret is shown`, () => {
    const text = shownText({}, given);
    assert.equal(text, shown);
    assert.ok(!text.includes(SECRET));
  });

test("for every setting the user and the query of a URL are masked", () => {
  for (const setting of Object.values(SETTINGS))
    for (const url of [`https://me:${SECRET}@x.internal/`, `https://x.internal/?key=${SECRET}`])
      assert.ok(!shownText(setting, url).includes(SECRET), setting.variable);
});
