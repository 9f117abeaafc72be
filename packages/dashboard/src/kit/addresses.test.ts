import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addressesIn } from "./addresses.ts";

const emailsIn = (text: string) => addressesIn(text).emails;

describe("the addresses in a text", () => {
  it("are separated by commas, semicolons, spaces or lines", () => {
    const all = ["ada@acme.test", "bo@acme.test", "cy@acme.test"];
    for (const separator of [",", ", ", ";", " ; ", " ", "\n", "\r\n", "\t", ",\n"])
      assert.deepEqual(emailsIn(all.join(separator)), all, JSON.stringify(separator));
  });

  it("may have names, also with commas", () => {
    assert.deepEqual(emailsIn('Ada Lovelace <ada@acme.test>, "Diddley, Bo" <bo@acme.test>'), [
      "ada@acme.test",
      "bo@acme.test",
    ]);
    assert.deepEqual(emailsIn("Lovelace, Ada <ada@acme.test>; Diddley, Bo <bo@acme.test>"), [
      "ada@acme.test",
      "bo@acme.test",
    ]);
    assert.deepEqual(emailsIn("Ada <ada@acme.test> Bo <bo@acme.test> cy@acme.test"), [
      "cy@acme.test",
      "ada@acme.test",
      "bo@acme.test",
    ]);
  });

  it("are in lower case and each once", () => {
    assert.deepEqual(emailsIn("Ada@Acme.TEST mailto:ada@acme.test (ada@acme.test)."), ["ada@acme.test"]);
    assert.deepEqual(emailsIn("ÉLAN@acme.test"), ["Élan@acme.test"]);
  });

  it("are told apart from what is none, with why", () => {
    assert.deepEqual(addressesIn("ada@acme.test, bo, @acme.test cy@, a@b@c, di@ü.test"), {
      emails: ["ada@acme.test"],
      faults: [
        { text: "bo", why: "has no @" },
        { text: "@acme.test", why: "has nothing before the @" },
        { text: "cy@", why: "has nothing after the @" },
        { text: "a@b@c", why: "has more than one @" },
        {
          text: "di@ü.test",
          why: "has a domain with other characters than a to z, 0 to 9, dots and hyphens",
        },
      ],
    });
    assert.equal(addressesIn(`${"a".repeat(65)}@acme.test`).faults[0]?.why, "is too long");
    assert.equal(
      addressesIn("a\u202eb@acme.test").faults[0]?.why,
      "has a character that addresses do not have",
    );
  });

  it("are none in an empty text", () => {
    assert.deepEqual(addressesIn(" ,;\n"), { emails: [], faults: [] });
  });
});
