import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { type JWTPayload, SignJWT } from "jose";
import { verify } from "./assertion.ts";

const NOW = 1_800_000_000;
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const expected = { issuer: "issuer", audience: "audience", now: NOW * 1000 };

const sign = (own: JWTPayload) =>
  new SignJWT({ iss: "issuer", aud: "audience", exp: NOW + 60, ...own })
    .setProtectedHeader({ alg: "EdDSA" })
    .sign(privateKey);

const verifies = (token: string, given: Parameters<typeof verify>[2] = expected) =>
  verify(token, () => publicKey, given).then(
    () => true,
    () => false,
  );

const rows: [name: string, own: JWTPayload, good: boolean][] = [
  ["ends in a minute", {}, true],
  ["ended 29 seconds ago", { exp: NOW - 29 }, true],
  ["ended 30 seconds ago", { exp: NOW - 30 }, false],
  ["begins in 30 seconds", { nbf: NOW + 30 }, true],
  ["begins in 31 seconds", { nbf: NOW + 31 }, false],
  ["was made in an hour", { iat: NOW + 3600 }, true],
  ["ends at no number", { exp: "soon" as unknown as number }, false],
];
for (const [name, own, good] of rows) {
  test(`a token that ${name} is ${good ? "valid" : "invalid"}`, async () => {
    assert.equal(await verifies(await sign(own)), good);
  });
}

test("a token of more than 16 KiB is invalid", async () => {
  const fits = await sign({ pad: "p".repeat(12_000) });
  const long = await sign({ pad: "p".repeat(12_300) });
  assert.ok(fits.length < 16 * 1024 && long.length > 16 * 1024);
  assert.deepEqual([await verifies(fits), await verifies(long)], [true, false]);
});

test("without an expected issuer or audience every token is invalid", async () => {
  const token = await sign({});
  assert.equal(await verifies(token, { ...expected, issuer: null }), false);
  assert.equal(await verifies(token, { ...expected, audience: null }), false);
  const says = (claim: unknown) => sign({ iss: claim, aud: claim } as JWTPayload);
  for (const claim of [null, "", "null", "undefined", []]) {
    assert.equal(await verifies(await says(claim), { ...expected, issuer: null, audience: null }), false);
  }
});

test("symmetric signatures are invalid, even with a matching key", async () => {
  const secret = Buffer.alloc(64, "secret");
  for (const alg of ["HS256", "HS384", "HS512"]) {
    const token = await new SignJWT({ iss: "issuer", aud: "audience", exp: NOW + 60 })
      .setProtectedHeader({ alg })
      .sign(secret);
    await assert.rejects(
      verify(token, () => secret, expected),
      { code: "ERR_JOSE_ALG_NOT_ALLOWED" },
    );
  }
});

test("a token with any letter changed is invalid", async () => {
  const token = await sign({ email: "ada@example.com" });
  // The last letter is left out, because some of its bits do not belong to the signature.
  for (let index = 0; index < token.length - 1; index++) {
    for (const letter of ["A", "B", "_", ".", " ", "=", "\u0000"]) {
      if (token[index] === letter) continue;
      const other = token.slice(0, index) + letter + token.slice(index + 1);
      assert.equal(await verifies(other), false, `${letter} at ${index}`);
    }
  }
});

test("errors of the key lookup are rethrown", async () => {
  const thrown = new Error("no key server");
  await assert.rejects(
    verify(await sign({}), () => Promise.reject(thrown), expected),
    thrown,
  );
});
