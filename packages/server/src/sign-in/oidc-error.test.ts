import assert from "node:assert/strict";
import { test } from "node:test";
import { causeOf, OidcError } from "./oidc-error.ts";

test("the logged cause contains messages of this service's own errors, and no others", () => {
  assert.equal(causeOf(new OidcError("invalid_response", "no ID token")), "OidcError no ID token");
  assert.equal(causeOf(new Error("code=secret")), "Error");
  const nested = new OidcError("unreachable", "discovery failed");
  nested.cause = new TypeError("https://secret.example");
  assert.equal(causeOf(nested), "OidcError discovery failed: TypeError");
});
