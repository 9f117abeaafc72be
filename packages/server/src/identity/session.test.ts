import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionCookie, sessionToken } from "./session.ts";

test("the cookie is `__Host-` on https", () => {
  assert.equal(sessionCookie(true), "__Host-easel_session");
  assert.equal(sessionCookie(false), "easel_session");
});

/** `Cookie` headers, where NAME stands for the name of the session cookie, and the session token that is expected. */
const rows: [what: string, header: string | undefined, token: string | undefined][] = [
  ["no header", undefined, undefined],
  ["an empty header", "", undefined],
  ["other cookies only", "a=1; b=2", undefined],
  ["the cookie alone", "NAME=abc", "abc"],
  ["among others", "a=1; NAME=abc; b=2", "abc"],
  ["without spaces", "a=1;NAME=abc;b=2", "abc"],
  ["several times the same", "NAME=abc; a=1; NAME=abc", "abc"],
  ["several that differ", "NAME=abc; NAME=def", undefined],
  ["one that is empty and one that is not", "NAME=; NAME=abc", undefined],
  ["cut short before its value", "NAME", undefined],
  ["a value with an equals sign", "NAME=a=b", "a=b"],
  ["a name that ends alike", "xNAME=abc", undefined],
  ["a name that begins alike", "NAME2=abc; NAME-old=def", undefined],
  ["names alike beside it", "xNAME=a; NAME=abc; NAMEx=b", "abc"],
  ["another case", "name=abc", undefined],
  ["within another's value", 'a="NAME=abc"', undefined],
];

for (const secure of [true, false]) {
  for (const [what, header, token] of rows) {
    test(`${what}, ${secure ? "https" : "http"}: ${token ?? "none"}`, () => {
      assert.equal(sessionToken(header?.replaceAll("NAME", sessionCookie(secure)), secure), token);
    });
  }
}

test("on https the cookie without the prefix is ignored, and vice versa", () => {
  assert.equal(sessionToken("easel_session=abc", true), undefined);
  assert.equal(sessionToken("__Host-easel_session=abc", false), undefined);
  assert.equal(sessionToken("easel_session=abc; __Host-easel_session=def", true), "def");
});
