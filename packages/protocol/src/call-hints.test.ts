import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeOf, hintOf, remedyOf } from "./call-hints.ts";
import { ERRORS } from "./errors.ts";
import { PAGE_ERROR_CODES } from "./management.ts";

describe("hints about refused calls", () => {
  it("every code has one, in whole sentences", () => {
    const hints = [
      ...Object.entries(ERRORS).map(([code, { status }]) => hintOf({ code, status })),
      ...PAGE_ERROR_CODES.map((code) => hintOf({ code, status: 204 })),
    ];
    assert.equal(new Set(hints).size, hints.length);
    for (const hint of hints) assert.match(hint, /^[A-Z].{20,}\.$/);
  });

  it("a call without a code, or with one that is not known, has the hint of its status", () => {
    const of = (status: number, code: string | null = null) => hintOf({ code, status });
    assert.match(of(401), /^Nobody was signed in/);
    assert.equal(of(302), of(401));
    assert.match(of(4429), /connected/);
    assert.match(of(4401), /lost access/);
    assert.match(of(1006), /^The service closed/);
    assert.match(of(500), /^The service failed/);
    assert.equal(of(418, "toString"), "The service refused the call.");
    assert.equal(codeOf({ code: null, status: 4429 }), "4429");
    assert.equal(codeOf({ code: "KEY_LIMIT", status: 409 }), "KEY_LIMIT");
  });

  it("leads to the screen on which what refused is changed", () => {
    const of = (code: string | null, status = 403) => remedyOf({ code, status });
    assert.deepEqual(
      [of("OWNER_ONLY"), of("CAPABILITY_DISABLED"), of(null, 4403)],
      ["sharing", "backend", "backend"],
    );
    assert.deepEqual([of("PERMISSION_DENIED"), of(null, 500), of("toString")], [null, null, null]);
  });
});
