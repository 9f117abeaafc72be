import assert from "node:assert/strict";
import { it } from "node:test";
import { ApiError } from "./api-error.ts";
import { errorAt, errorElsewhere } from "./field-errors.ts";

const refused = (field?: string) => new ApiError(400, { code: "INVALID_BODY", message: "No.", field });

it("an error is shown at the field that it names, and at the form otherwise", () => {
  for (const field of ["headers", "headers.x-key", "headers[0]"]) {
    assert.equal(errorAt(refused(field), "headers"), "No.");
    assert.equal(errorElsewhere(refused(field), ["origin", "headers"]), null);
  }
  for (const error of [refused(), refused(""), refused("headersOther"), new Error("No.")]) {
    assert.equal(errorAt(error, "headers"), null);
    assert.equal(errorElsewhere(error, ["headers"]), error);
  }
  assert.equal(errorAt(null, "origin"), null);
  assert.equal(errorElsewhere(null, ["origin"]), null);
});
