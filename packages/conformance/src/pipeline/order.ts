import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { cast, freshSlug, type Stage, stage } from "../fixture.ts";
import { flood } from "../flood.ts";
import type { Answer, Header } from "../http.ts";
import { call, JSON_TYPE, pageHeaders } from "../page.ts";
import { refused, unauthenticated } from "../refusal.ts";
import type { Person, Target } from "../target.ts";

interface Ask {
  method: string;
  path: string;
  body?: string;
  type?: Header;
}

type At = "lit" | "dark" | "unknown";
type By = "owner" | "viewer" | "stranger" | "nobody";
type From = "own page" | "elsewhere";
type Expected = [status: number, code: ErrorCode] | 401;
type Row = [name: string, at: At, by: By, from: From, ask: Ask, expected: Expected];

const ME: Ask = { method: "GET", path: "/me" };
const WRONG_METHOD: Ask = { method: "POST", path: "/me" };
const NO_PATH: Ask = { method: "GET", path: "/no-such-path" };
const OTHER_METHOD: Ask = { method: "PROPFIND", path: "/kv/k" };
const TRACE: Ask = { method: "TRACE", path: "/no-such-path" };
const BAD_PATH: Ask = { method: "GET", path: "/kv/%ZZ" };
const BAD_NOWHERE: Ask = { method: "PROPFIND", path: "/no-such-path/%ff" };
const PUT: Ask = { method: "PUT", path: "/kv/k", body: "1" };
const BAD_BODY: Ask = { method: "PUT", path: "/kv/k", body: "{" };
const NO_TYPE: Ask = { method: "PUT", path: "/no-such-path", body: "1", type: ["Content-Type", "?"] };
const LONG_KEY: Ask = { method: "PUT", path: `/kv/${"k".repeat(513)}`, body: "1" };

const LOST: Expected = [404, "NOT_FOUND"];
const SHUT: Expected = [404, "OWNER_ONLY"];
const CROSSED: Expected = [403, "CROSS_CANVAS_FORBIDDEN"];
const OFF: Expected = [403, "CAPABILITY_DISABLED"];

/**
 * Each row has a name for the test, the canvas, the caller, the page that sends the request, the request, and the expected response. Two
 * steps of the pipeline would refuse the request; the response must be that of the earlier step. The backend is on in the canvas `lit` and
 * off in `dark`, `unknown` is no canvas, and `elsewhere` is the page of another canvas.
 */
const ROWS: Row[] = [
  ["gateway before unknown slug", "unknown", "nobody", "own page", ME, 401],
  ["gateway before isolation", "lit", "nobody", "elsewhere", ME, 401],
  ["gateway before capability", "dark", "nobody", "own page", ME, 401],
  ["gateway before the type of a body", "lit", "nobody", "own page", NO_TYPE, 401],
  ["gateway before a method that no route has", "lit", "nobody", "own page", OTHER_METHOD, 401],
  ["gateway before a method that no route has, on an unknown path", "lit", "nobody", "own page", TRACE, 401],
  ["gateway before a path that is not UTF-8", "lit", "nobody", "own page", BAD_PATH, 401],
  ["gateway before an unknown path that is not UTF-8", "lit", "nobody", "own page", BAD_NOWHERE, 401],
  ["unknown slug before a path that is not UTF-8", "unknown", "owner", "own page", BAD_PATH, LOST],
  ["unknown slug before isolation", "unknown", "owner", "elsewhere", ME, LOST],
  ["unknown slug before wrong method", "unknown", "owner", "own page", WRONG_METHOD, LOST],
  ["rung before isolation", "lit", "stranger", "elsewhere", ME, SHUT],
  ["rung before capability", "dark", "stranger", "own page", ME, SHUT],
  ["rung before unknown path", "lit", "stranger", "own page", NO_PATH, SHUT],
  ["rung before wrong method", "lit", "stranger", "own page", WRONG_METHOD, SHUT],
  ["rung before a method that no route has", "lit", "stranger", "own page", OTHER_METHOD, SHUT],
  ["rung before a method that no route has, on an unknown path", "lit", "stranger", "own page", TRACE, SHUT],
  ["rung before a path that is not UTF-8", "lit", "stranger", "own page", BAD_PATH, SHUT],
  ["rung before an unknown path that is not UTF-8", "lit", "stranger", "own page", BAD_NOWHERE, SHUT],
  ["rung before key size", "lit", "stranger", "own page", LONG_KEY, SHUT],
  ["rung before the type of a body", "lit", "stranger", "own page", NO_TYPE, SHUT],
  ["isolation before capability", "dark", "owner", "elsewhere", ME, CROSSED],
  ["isolation before role", "lit", "viewer", "elsewhere", PUT, CROSSED],
  ["isolation before key size", "lit", "owner", "elsewhere", LONG_KEY, CROSSED],
  ["isolation before unknown path", "lit", "owner", "elsewhere", NO_PATH, CROSSED],
  ["isolation before wrong method", "lit", "owner", "elsewhere", WRONG_METHOD, CROSSED],
  ["isolation before a path that is not UTF-8", "lit", "owner", "elsewhere", BAD_PATH, CROSSED],
  ["isolation before a method that no route has", "lit", "owner", "elsewhere", OTHER_METHOD, CROSSED],
  ["capability before a path that is not UTF-8", "dark", "owner", "own page", BAD_PATH, OFF],
  ["capability before a method that no route has", "dark", "owner", "own page", OTHER_METHOD, OFF],
  ["capability before role", "dark", "viewer", "own page", PUT, OFF],
  ["capability before key size", "dark", "owner", "own page", LONG_KEY, OFF],
  ["capability before body", "dark", "owner", "own page", BAD_BODY, OFF],
];

/**
 * Requests that one step of the pipeline refuses, with the same columns as `ROWS`. The test sends the headers without the body, and the
 * service must respond nevertheless.
 */
const EARLY: Row[] = [
  ["gateway", "lit", "nobody", "own page", PUT, 401],
  ["unknown slug", "unknown", "owner", "own page", PUT, LOST],
  ["rung", "lit", "stranger", "own page", PUT, SHUT],
  ["isolation", "lit", "owner", "elsewhere", PUT, CROSSED],
  ["capability", "dark", "owner", "own page", PUT, OFF],
];

/** Tests the order of the steps of the request pipeline. All steps run before the body is read. */
export function order(target: Target): void {
  describe("the order of the steps", () => {
    let stages: Record<At, Pick<Stage, "slug">>;
    let people: Record<By, Person | null>;
    before(async () => {
      const those = await cast(target);
      const lit = await stage(target, { people: those });
      const dark = await stage(target, { people: those, switches: { backendEnabled: false } });
      stages = { lit, dark, unknown: { slug: freshSlug() } };
      people = { ...those, nobody: null };
    });
    const headersOf = (slug: string, from: From, ask: Ask): Header[] => [
      ...pageHeaders(target, from === "own page" ? slug : freshSlug()),
      ...(ask.body === undefined ? [] : [ask.type ?? JSON_TYPE]),
    ];

    for (const [name, at, by, from, ask, expected] of ROWS) {
      it(name, async () => {
        const { slug } = stages[at];
        const headers = headersOf(slug, from, ask);
        check(
          target,
          await call(target, slug, people[by], ask.method, ask.path, headers, ask.body),
          expected,
        );
      });
    }

    for (const [name, at, by, from, ask, expected] of EARLY) {
      it(`${name}: the response comes before the body is sent`, async () => {
        const { slug } = stages[at];
        const headers = [...(people[by]?.headers ?? []), ...headersOf(slug, from, ask)];
        const request = { method: ask.method, path: `/v1/c/${slug}${ask.path}`, headers };
        check(target, await flood(target.base, request, { announced: 1_000_000, sent: 0 }), expected);
      });
    }
  });
}

function check(target: Target, answer: Answer, expected: Expected): void {
  if (expected === 401) unauthenticated(answer, target);
  else refused(answer, ...expected);
}
