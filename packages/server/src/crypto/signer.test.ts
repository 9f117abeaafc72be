import assert from "node:assert/strict";
import { test } from "node:test";
import { Signer } from "./signer.ts";

const OLD = "an old secret of at least thirty-two bytes";
const NEW = "a new secret of at least thirty-two bytes!";

test("a signature verifies for its purpose and parts only", () => {
  const signer = new Signer([NEW]);
  const signature = signer.sign("gate", "tea", "ada");
  assert.ok(signer.verifies(signature, "gate", "tea", "ada"));
  assert.ok(!signer.verifies(signature, "content", "tea", "ada"), "another purpose");
  assert.ok(!signer.verifies(signature, "gate", "teaada"), "other parts of the same letters");
  assert.ok(!signer.verifies(signature, "gate", "tea", "ada", ""), "more parts");
  assert.ok(!signer.verifies(signature, "gate", 'tea","ada'), "parts that hold quotes");
  for (const bad of ["", signature.slice(0, -2), `${signature}AA`, "?".repeat(43)])
    assert.ok(!signer.verifies(bad, "gate", "tea", "ada"), `"${bad}"`);
});

test("rotation: the first secret signs, all verify", () => {
  const before = new Signer([OLD]).sign("gate", "tea");
  const both = new Signer([NEW, OLD]);
  assert.ok(both.verifies(before, "gate", "tea"));
  assert.equal(both.sign("gate", "tea"), new Signer([NEW]).sign("gate", "tea"));
  assert.ok(!new Signer([NEW]).verifies(before, "gate", "tea"), "once the old secret is gone");
});

test("the constructor throws without a secret", () => {
  assert.throws(() => new Signer([]), RangeError);
});
