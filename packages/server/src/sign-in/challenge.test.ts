import assert from "node:assert/strict";
import { test } from "node:test";
import { ABSENT, samples } from "@easel/conformance/corpus";
import fc from "fast-check";
import { type Base, baseOf } from "../config/addresses.ts";
import { readConfig } from "../config/config.ts";
import { safeReturn } from "./challenge.ts";

const ORIGIN = "http://easel.localhost:3000";
const base = (urlMode: Base["urlMode"]) =>
  baseOf(readConfig({ SERVICE_BASE_URL: ORIGIN, SERVICE_URL_MODE: urlMode }), 3000);
const path = base("path");
const subdomain = base("subdomain");

/** Returns the URL to which a browser navigates from the sign-in page for a value of `returnTo`. */
const landing = (given: string, at: Base) => new URL(safeReturn(given, at), `${ORIGIN}/auth/login`);

/** Values of `returnTo` and the results of `safeReturn`, the same in both URL modes. */
const rows: [given: string | undefined, to: string][] = [
  [undefined, "/"],
  ["", "/"],
  ["/", "/"],
  ["/c/tea/?a=1&b=/x#top", "/c/tea/?a=1&b=/x#top"],
  ["c/tea/", "/c/tea/"],
  ["/a/../c/tea/", "/c/tea/"],
  [`${ORIGIN}/c/tea/`, "/c/tea/"],
  ["HTTP://EASEL.localhost:3000/c/tea/", "/c/tea/"],
  ["?a=1", "/?a=1"],
  ["#top", "/#top"],
  ["/%2f%2fevil.example", "/%2f%2fevil.example"],
  ["/%5cevil.example", "/%5cevil.example"],
  ["/?to=//evil.example", "/?to=//evil.example"],
  ["/#//evil.example", "/#//evil.example"],
  [`${ORIGIN}//evil.example`, "/evil.example"],
  ["/.//evil.example", "/evil.example"],
  ["/a/..//evil.example", "/evil.example"],
  ["/\t/evil.example", "/"],
  ["//evil.example", "/"],
  ["///evil.example", "/"],
  ["/\\evil.example", "/"],
  ["\\\\evil.example", "/"],
  [" //evil.example", "/"],
  ["\u0000//evil.example", "/"],
  ["https://evil.example", "/"],
  ["https:evil.example", "/"],
  ["https://easel.localhost:3000/", "/"],
  ["http://easel.localhost/", "/"],
  ["http://easel.localhost:3000.evil.example/", "/"],
  ["http://easel.localhost:3000@evil.example/", "/"],
  ["http://ada@easel.localhost:3000/c/tea/", "/"],
  ["http://ada:secret@easel.localhost:3000/c/tea/", "/"],
  ["javascript:alert(1)", "/"],
  ["data:text/html,x", "/"],
  ["file:///etc/passwd", "/"],
  ["http://[", "/"],
];

for (const [given, to] of rows) {
  test(`${JSON.stringify(given)} leads to ${to}`, () => {
    assert.equal(safeReturn(given, path), to);
    assert.equal(safeReturn(given, subdomain), to);
  });
}

/** Values of `returnTo` and the results of `safeReturn` in subdomain mode. Null: the home page. */
const hosts: [given: string, to: string | null][] = [
  ["http://tea.easel.localhost:3000/a?b#c", "http://tea.easel.localhost:3000/a?b#c"],
  ["//tea.easel.localhost:3000/", "http://tea.easel.localhost:3000/"],
  ["http://tea.easel.localhost:3000//evil.example", "http://tea.easel.localhost:3000//evil.example"],
  ["https://tea.easel.localhost:3000/", null],
  ["http://tea.easel.localhost/", null],
  ["http://a.tea.easel.localhost:3000/", null],
  ["http://tea.easel.localhost.evil.example:3000/", null],
  ["http://teaeasel.localhost:3000/", null],
  ["http://ada@tea.easel.localhost:3000/", null],
  ["http://localhost:3000/", null],
];

for (const [given, to] of hosts) {
  test(`${given} leads to ${to ?? "the home page"} in subdomain mode, and to the home page in path mode`, () => {
    assert.equal(safeReturn(given, subdomain), to ?? "/");
    assert.equal(safeReturn(given, path), "/");
  });
}

const ours = ({ origin, hostname }: URL) =>
  origin === ORIGIN || (hostname.endsWith(".easel.localhost") && origin.startsWith("http:"));

test("no combination of slashes, dots and similar characters leads to another origin", () => {
  const piece = fc.constantFrom(
    "/",
    "\\",
    ".",
    "\t",
    "\n",
    "\r",
    " ",
    "@",
    ":",
    "?",
    "#",
    "%2f",
    "%5c",
    "%09",
    "\u0000",
    "http",
    "https:",
    "blob:",
    "evil.example",
    "easel.localhost:3000",
    "tea.",
    "[",
    "。",
    "ａ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const given = pieces.join("");
      assert.equal(landing(given, path).origin, ORIGIN);
      assert.ok(ours(landing(given, subdomain)));
    }),
    { numRuns: 3000 },
  );
});

const corpus = samples("redirect")?.flatMap(({ bytes }) => bytes.toString().split("\n"));

/**
 * Decodes an entry of the test corpus by `decodeURIComponent`, as a handler might do by mistake. Returns the entry unchanged if it cannot
 * be decoded.
 */
function decoded(entry: string): string {
  try {
    return decodeURIComponent(entry);
  } catch {
    return entry;
  }
}

for (const given of ["http://.BASE/", "http://xn--tea.BASE/", "blob:http://ada@BASE/"]) {
  test(`${given} is rejected`, () => {
    assert.equal(safeReturn(given.replace("BASE", subdomain.host), subdomain), "/");
  });
}

test("no entry of the corpus leads to another origin, decoded or not", {
  skip: corpus === undefined && ABSENT,
}, () => {
  for (const given of corpus?.flatMap((entry) => [entry, decoded(entry)]) ?? []) {
    assert.deepEqual([given, landing(given, path).origin], [given, ORIGIN]);
    assert.deepEqual([given, landing(given, subdomain).origin], [given, ORIGIN]);
  }
  assert.ok((corpus?.length ?? 0) > 500);
});
