import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ABSENT, samples } from "@easel/conformance/corpus";
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, type JWK } from "jose";
import { verify } from "../../src/identity/assertion.ts";

interface Vector {
  tcId: number;
  comment: string;
  /** A token: a string in compact serialization, or an object in JSON serialization. */
  jws: string | object;
  result: "valid" | "invalid";
}

interface Group {
  comment: string;
  /** The public key or key set. Groups of vectors with shared secrets have none. */
  public?: JWK | JSONWebKeySet;
  private: JWK | JSONWebKeySet;
  tests: Vector[];
}

const groups = samples("jwt")?.flatMap(
  ({ bytes }) => (JSON.parse(bytes.toString()) as { testGroups: Group[] }).testGroups,
);

const setOf = (keys: JWK | JSONWebKeySet) => ("keys" in keys ? keys : { keys: [keys] }) as JSONWebKeySet;

/** Whether the signature of a vector is valid. Its payload has no claims, so a valid vector gets the error about that and no other. */
async function counts({ jws }: Vector, keys: JWK | JSONWebKeySet): Promise<boolean> {
  const token = typeof jws === "string" ? jws : JSON.stringify(jws);
  const key = createLocalJWKSet(setOf(keys));
  const expected = { issuer: "issuer", audience: "audience", now: Date.now() };
  try {
    await verify(token, (header) => key(header), expected);
  } catch (error) {
    return (error as Error).message === "JWT Claims Set must be a top-level JSON object";
  }
  return true;
}

/** Whether all keys have the algorithm of the token or none. The corpus calls some vectors valid whose keys have another one. */
function agrees({ jws }: Vector, keys: JWK | JSONWebKeySet): boolean {
  const { alg } = decodeProtectedHeader(jws as string);
  return setOf(keys).keys.every((key) => key.alg === undefined || key.alg === alg);
}

/**
 * Comments of vectors with a weak key and a correct signature. They count as valid: the operator configures the key server and trusts its
 * keys.
 */
const WEAK_KEYS = ["rejectsKeyWithRocaVulnerability", "rejectsPublicExponent1"];

describe("signatures of a corpus of attacks", { skip: groups === undefined && ABSENT }, () => {
  const asymmetric = groups?.filter((group) => group.public !== undefined) ?? [];
  const symmetric = groups?.filter((group) => group.public === undefined) ?? [];

  it("is complete", () => {
    assert.ok(asymmetric.flatMap(({ tests }) => tests).length > 300);
    assert.ok(symmetric.flatMap(({ tests }) => tests).length > 40);
  });

  for (const { comment: group, public: keys = { keys: [] }, tests } of asymmetric) {
    for (const vector of tests) {
      const good = WEAK_KEYS.includes(vector.comment) || (vector.result === "valid" && agrees(vector, keys));
      it(`${group} ${vector.tcId}, ${vector.comment}: ${good ? "valid" : "invalid"}`, async () => {
        assert.equal(await counts(vector, keys), good);
      });
    }
  }

  for (const { comment: group, private: keys, tests } of symmetric) {
    for (const vector of tests) {
      it(`${group} ${vector.tcId}, ${vector.comment}: a shared secret is never valid`, async () => {
        assert.equal(await counts(vector, keys), false);
      });
    }
  }
});
