import assert from "node:assert/strict";
import { test } from "node:test";
import type { Env } from "../env.ts";
import { preflight } from "./isolate.ts";
import type { Visit } from "./visit.ts";

for (const [urlMode, expected] of [
  ["subdomain", 7_200],
  ["path", undefined],
] as const)
  test(`preflights of canvases by ${urlMode}: access-control-max-age is ${expected ?? "absent"}`, () => {
    const headers = new Map<string, unknown>();
    const answer = { header: (name: string, value: unknown) => headers.set(name, value) };
    const origin = "https://tea.canvases.example";
    const visit = { slug: "tea", request: { headers: { origin } }, answer };
    const base = { urlMode, canvasOrigin: () => origin };
    preflight(visit as unknown as Visit, { base } as unknown as Env);
    assert.equal(headers.get("access-control-max-age"), expected);
    assert.equal(headers.get("access-control-allow-headers"), "Content-Type");
  });
