import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Sealer, Signer } from "./secrets.ts";

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

const [ONE, OTHER] = [randomBytes(32), randomBytes(32)];
const TEXT = '{"authorization":"Bearer \u{1f511}"}';

/** Seals a text with a key and returns the sealed text. Fails the test if `seal` returns null. */
const sealWith = (key: Buffer, text = TEXT, context = "row 1") =>
  new Sealer([key]).seal(text, context) ?? assert.fail();

/** Returns the parts of a sealed text: the id of the key, then nonce, ciphertext and tag. */
function partsOf(sealed: string): { id: string; bytes: Buffer } {
  const [id = "", encoded = ""] = sealed.split(".");
  return { id, bytes: Buffer.from(encoded, "base64url") };
}

for (const text of [TEXT, "", "\0", "x".repeat(100_000)])
  test(`a sealed text of ${text.length} characters opens to itself`, () => {
    assert.equal(new Sealer([ONE]).open(sealWith(ONE, text), "row 1"), text);
  });

test("the same text is sealed differently each time, and is not part of the result", () => {
  const sealed = Array.from({ length: 100 }, () => sealWith(ONE));
  const nonces = sealed.map((each) => partsOf(each).bytes.subarray(0, 12).toString("hex"));
  assert.equal(new Set(nonces).size, 100);
  for (const each of sealed) assert.ok(!partsOf(each).bytes.includes("Bearer"));
});

for (const context of ["row 2", "", "row 1 ", "Row 1"])
  test(`a text sealed for "row 1" does not open for ${JSON.stringify(context)}`, () => {
    assert.equal(new Sealer([ONE]).open(sealWith(ONE), context), null);
  });

test("a text in which any bit of nonce, ciphertext or tag has changed does not open", () => {
  const { id, bytes } = partsOf(sealWith(ONE));
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(new Sealer([ONE]).open(`${id}.${changed.toString("base64url")}`, "row 1"), null, `${bit}`);
  }
});

test("a text that lacks bytes at its end or beginning, or has more, does not open", () => {
  const { id, bytes } = partsOf(sealWith(ONE));
  for (let length = 0; length < bytes.length; length++)
    for (const part of [bytes.subarray(0, length), bytes.subarray(bytes.length - length)])
      assert.equal(new Sealer([ONE]).open(`${id}.${part.toString("base64url")}`, "row 1"), null);
  const longer = Buffer.concat([bytes, Buffer.from([0])]).toString("base64url");
  assert.equal(new Sealer([ONE]).open(`${id}.${longer}`, "row 1"), null);
});

test("another key does not open a text, even under the id of the right one", () => {
  const { bytes } = partsOf(sealWith(ONE));
  const { id } = partsOf(sealWith(OTHER));
  assert.equal(new Sealer([OTHER]).open(sealWith(ONE), "row 1"), null);
  assert.equal(new Sealer([OTHER]).open(`${id}.${bytes.toString("base64url")}`, "row 1"), null);
});

test("the first of several keys seals, and each of them opens", () => {
  const both = new Sealer([OTHER, ONE]);
  assert.equal(both.open(sealWith(ONE), "row 1"), TEXT);
  const sealed = both.seal(TEXT, "row 1") ?? assert.fail();
  assert.equal(new Sealer([OTHER]).open(sealed, "row 1"), TEXT);
  assert.equal(new Sealer([ONE]).open(sealed, "row 1"), null);
});

test("a text is outdated if its key is not the first one", () => {
  assert.equal(new Sealer([ONE, OTHER]).isOutdated(sealWith(ONE)), false);
  assert.equal(new Sealer([OTHER, ONE]).isOutdated(sealWith(ONE)), true);
  assert.equal(new Sealer([OTHER]).isOutdated(sealWith(ONE)), true);
});

test("without a key nothing is sealed, opened or outdated", () => {
  const none = new Sealer([]);
  assert.equal(none.seal(TEXT, "row 1"), null);
  assert.equal(none.open(sealWith(ONE), "row 1"), null);
  assert.equal(none.isOutdated(sealWith(ONE)), false);
});

test("texts that are no sealed ones do not open", () => {
  const { id } = partsOf(sealWith(ONE));
  for (const text of [
    "",
    ".",
    "..",
    id,
    `${id}.`,
    `${id}.\u{1f511}`,
    `${id}.%%%`,
    `${id}.${"A".repeat(64)}`,
    TEXT,
  ])
    assert.equal(new Sealer([ONE]).open(text, "row 1"), null, JSON.stringify(text));
});

test("the id of a key contains none of its bytes", () => {
  const { id } = partsOf(sealWith(ONE));
  assert.equal(id.length, 8);
  assert.ok(!ONE.includes(Buffer.from(id, "base64url")));
});
