import assert from "node:assert/strict";
import { it } from "node:test";
import { addressWith } from "./address.ts";

it("the address with another slug changes the slug alone, in both URL modes", () => {
  assert.equal(addressWith("http://c.test/c/c/", "c", "poll"), "c.test/c/poll/");
  assert.equal(addressWith("http://localhost:3000/c/local/", "local", "x"), "localhost:3000/c/x/");
  assert.equal(addressWith("https://acme.acme.test:8443/", "acme", "poll"), "poll.acme.test:8443/");
});
