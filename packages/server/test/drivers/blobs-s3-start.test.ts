import assert from "node:assert/strict";
import { test } from "node:test";
import { SetupError } from "../../src/config/setting-types.ts";
import { openS3, settingsOf } from "../support/s3-blobs.ts";
import { S3_VARIABLES, type S3Server, startS3 } from "../support/s3-server.ts";

/** Prepares a start that is refused. Returns the address of the bucket, and variables that differ. */
type Prepare = (server: S3Server) => { url?: string; variables?: Record<string, string> } | undefined;

const REFUSED: [what: string, prepare: Prepare, message: RegExp][] = [
  [
    "there is no bucket",
    (server) => ({ url: server.url().replace("s3://easel", "s3://other") }),
    /^SERVICE_BLOBS_URL: there is no bucket `other` at http.*: create it, or correct its name/,
  ],
  [
    "the region is another one",
    (server) => ({ url: server.url().replace("eu-test-1", "us-east-1") }),
    /is in the region `eu-test-1`, not in `us-east-1`: set `region=eu-test-1`/,
  ],
  [
    "the key is unknown",
    () => ({ variables: { ...S3_VARIABLES, AWS_ACCESS_KEY_ID: "AKIDOTHER" } }),
    /does not know the key in AWS_ACCESS_KEY_ID/,
  ],
  [
    "the secret is wrong",
    () => ({ variables: { ...S3_VARIABLES, AWS_SECRET_ACCESS_KEY: "another" } }),
    /check AWS_SECRET_ACCESS_KEY/,
  ],
  [
    "the token is wrong",
    () => ({ variables: { ...S3_VARIABLES, AWS_SESSION_TOKEN: "old" } }),
    /the token in AWS_SESSION_TOKEN has expired or is wrong/,
  ],
  [
    "the clock is wrong",
    (server) => {
      server.clock = () => Date.now() + 3_600_000;
      return undefined;
    },
    /the clock of this machine differs/,
  ],
  [
    "nothing listens",
    () => ({ url: "s3://easel?endpoint=http://127.0.0.1:1" }),
    /http:\/\/127\.0\.0\.1:1 does not answer \(.*ECONNREFUSED/,
  ],
  ...(
    [
      ["LIST", "s3:ListBucket"],
      ["PUT", "s3:PutObject"],
      ["GET", "s3:GetObject"],
      ["COPY", "s3:GetObject and s3:PutObject"],
      ["DELETE", "s3:DeleteObject"],
    ] as const
  ).map(([kind, action]): [string, Prepare, RegExp] => [
    `${kind} is denied`,
    (server) => {
      server.denied.add(kind);
      return undefined;
    },
    new RegExp(
      `access to the bucket \`easel\` is denied: the key in AWS_ACCESS_KEY_ID must be allowed ${action} [(]`,
    ),
  ]),
];
for (const [what, prepare, message] of REFUSED) {
  test(`S3 is not opened if ${what}`, async (t) => {
    const server = await startS3(t);
    const { url = server.url(), variables = S3_VARIABLES } = prepare(server) ?? {};
    const refused = (error: Error) => error instanceof SetupError && message.test(error.message);
    await assert.rejects(openS3(t, url, { settings: settingsOf(url, variables) }), (error: Error) => {
      assert.ok(refused(error), error.message);
      return true;
    });
  });
}

test("S3 is not opened if no provider finds a key", async (t) => {
  const server = await startS3(t);
  const settings = settingsOf(server.url(), {});
  const provider = async () => () => Promise.reject(new Error("no role"));
  await assert.rejects(openS3(t, server.url(), { settings, provider }), (error: Error) => {
    assert.ok(error instanceof SetupError);
    assert.match(
      error.message,
      /^SERVICE_BLOBS_URL needs a key: set AWS_ACCESS_KEY_ID .* a role \(no role\)/,
    );
    return true;
  });
});

test("opening S3 leaves nothing in the bucket", async (t) => {
  for (const conditional of [true, false, "501"] as const) {
    const server = await startS3(t, { conditional });
    await openS3(t, server.url());
    assert.deepEqual(server.names(), []);
  }
});

for (const conditional of [true, false, "501"] as const) {
  test(`concurrent nodes agree on a marker: conditional writes ${conditional}`, async (t) => {
    const server = await startS3(t, { conditional });
    let last = Promise.resolve();
    let locked = 0;
    const exclusively = (work: () => Promise<void>) => {
      locked++;
      last = last.then(work);
      return last;
    };
    const nodes = await Promise.all(
      Array.from({ length: 6 }, () => openS3(t, server.url(), { exclusively })),
    );
    const texts = await Promise.all(nodes.map(({ blobs }, n) => blobs.mark("instance", `node ${n}`)));
    assert.equal(new Set(texts).size, 1);
    assert.equal(await nodes[0]?.blobs.marker("instance"), texts[0]);
    assert.equal(locked > 0, conditional !== true);
  });
}
