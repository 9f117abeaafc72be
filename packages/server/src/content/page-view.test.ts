import assert from "node:assert/strict";
import { test } from "node:test";
import type { FastifyRequest } from "fastify";
import type { ServedFile } from "../drivers/canvas-content.ts";
import { isView } from "./page-view.ts";

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  mime?: string;
  status?: number;
}

const isViewOf = ({ method = "GET", headers = {}, mime = "text/html; charset=utf-8", status = 200 }: Sent) =>
  isView({ method, headers } as unknown as FastifyRequest, { mime } as ServedFile, status);

const CASES: [what: string, sent: Sent, expected: boolean][] = [
  ["a page in a tab", { headers: { "sec-fetch-dest": "document", "sec-fetch-site": "none" } }, true],
  ["a page that the browser still has", { status: 304, headers: { "sec-fetch-dest": "document" } }, true],
  ["a client without Fetch Metadata, such as curl", {}, true],
  [
    "a frame in a page of another origin",
    { headers: { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site" } },
    true,
  ],
  [
    "a frame in a page of the canvas",
    { headers: { "sec-fetch-dest": "iframe", "sec-fetch-site": "same-origin" } },
    false,
  ],
  ["a document that a script reads", { headers: { "sec-fetch-dest": "empty" } }, false],
  ["a script", { mime: "text/javascript; charset=utf-8", headers: { "sec-fetch-dest": "script" } }, false],
  ["an image in a tab", { mime: "image/png", headers: { "sec-fetch-dest": "document" } }, false],
  ["HEAD", { method: "HEAD" }, false],
  ["a part of a page", { status: 206 }, false],
  ["a range that there is not", { status: 416 }, false],
  ["prefetched", { headers: { "sec-purpose": "prefetch", "sec-fetch-dest": "document" } }, false],
  ["prerendered", { headers: { "sec-purpose": "prefetch;prerender", "sec-fetch-dest": "document" } }, false],
  ["prefetched by an older browser", { headers: { purpose: "prefetch" } }, false],
  ["another purpose", { headers: { "sec-purpose": "unknown" } }, true],
];
for (const [what, sent, expected] of CASES)
  test(`${what}: ${expected ? "a view" : "no view"}`, () => assert.equal(isViewOf(sent), expected));
