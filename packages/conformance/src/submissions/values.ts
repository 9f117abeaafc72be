import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { type Stage, stage } from "../fixture.ts";
import { type Flood, flood, hangUp } from "../flood.ts";
import { keepsAnyJson } from "../hostile.ts";
import { quoted } from "../json-bodies.ts";
import { JSON_TYPE, pageHeaders, runtimePath } from "../page.ts";
import { parallel } from "../parallel.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { answerOf } from "./answer.ts";

const MAX = LIMITS.submissionBytes.value;
const MiB = 1024 * 1024;

/** Bodies that are refused as too large. Either the body itself has more than 64 KiB, or the JSON text that would be stored for it does. */
const TOO_LARGE: [name: string, body: string][] = [
  ["65,537 bytes", quoted("a", MAX + 1)],
  ["65,537 bytes of two-byte characters and one", `"a${"é".repeat((MAX - 2) / 2)}"`],
  ["a small value in 65,537 bytes of white space", `1${" ".repeat(MAX)}`],
  ["a small value written as escapes", `"${"\\u0061".repeat(Math.ceil(MAX / 6))}"`],
  ["65,537 bytes that are no JSON", "{".repeat(MAX + 1)],
  ["numbers that are longer written out", `[${"1e20,".repeat(MAX / 8)}0]`],
];

const FLOODS: [name: string, flood: Flood][] = [
  ["announces 65,537 bytes and sends nothing", { announced: MAX + 1, sent: 0 }],
  ["announces 10 MiB and sends half", { announced: 10 * MiB, sent: 5 * MiB }],
  ["announces 1 TiB", { announced: 2 ** 40, sent: MiB }],
  ["sends 10 MiB in chunks and does not stop there", { announced: null, sent: 10 * MiB }],
];

/**
 * Tests the limits of submissions. A value can be any JSON. The request body and the stored JSON text have at most 64 KiB each, and an
 * author has at most 1,000 submissions on a canvas.
 */
export function values(target: Target): void {
  describe("values", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });
    const path = "/submissions/values/mine";

    describe("any JSON", () => {
      keepsAnyJson(() => ({
        put: (body) => canvas.pages.viewer.putRaw(path, body),
        async get() {
          const answer = await canvas.pages.viewer.get(path);
          return answer.status === 404 ? undefined : (answerOf(answer).value as Json);
        },
      }));
    });

    for (const [name, body] of TOO_LARGE) {
      it(`${name}: 413 VALUE_TOO_LARGE, the stored submission unchanged`, async () => {
        const { viewer } = canvas.pages;
        await viewer.delete(path);
        refused(await viewer.putRaw(path, body), 413, "VALUE_TOO_LARGE");
        refused(await viewer.get(path), 404, "NOT_FOUND");
        const before = answerOf(await viewer.put(path, "before"));
        refused(await viewer.putRaw(path, body), 413, "VALUE_TOO_LARGE");
        answered(await viewer.get(path), before);
      });
    }

    it("exactly 65,536 bytes, white space among them", async () => {
      const { viewer } = canvas.pages;
      for (const body of [`1${" ".repeat(MAX - 1)}`, ` ${quoted("é", MAX - 2)}\n`])
        assert.equal(answerOf(await viewer.putRaw(path, body)).value, JSON.parse(body));
    });

    it("a chunked body is accepted, up to the same limit", async () => {
      const { viewer } = canvas.pages;
      const send = (body: string) =>
        viewer.send("PUT", path, [JSON_TYPE, ["Transfer-Encoding", "chunked"]], body);
      const stored = answerOf(await send(quoted("a", MAX)));
      refused(await send(quoted("a", MAX + 1)), 413, "VALUE_TOO_LARGE");
      answered(await viewer.get(path), stored);
    });

    describe("bodies without an end", () => {
      const put = () => ({
        method: "PUT",
        path: runtimePath(target, canvas.slug) + path,
        headers: [...canvas.people.viewer.headers, ...pageHeaders(target, canvas.slug), JSON_TYPE],
      });

      for (const [name, body] of FLOODS) {
        it(`PUT that ${name}: 413 VALUE_TOO_LARGE at once, the stored submission unchanged`, async () => {
          const before = answerOf(await canvas.pages.viewer.put(path, "before"));
          refused(await flood(target.base, put(), body), 413, "VALUE_TOO_LARGE");
          answered(await canvas.pages.viewer.get(path), before);
        });
      }

      it("a body that ends early stores nothing", async () => {
        const before = answerOf(await canvas.pages.viewer.put(path, "before"));
        await hangUp(target.base, put());
        answered(await canvas.pages.viewer.get(path), before);
      });
    });

    it("an author has at most 1,000 submissions on a canvas; then they can be changed and deleted, but none can be added", async () => {
      const full = await stage(target, { people: canvas.people });
      const { editor, viewer } = full.pages;
      const most = LIMITS.submissionsPerAuthor.value;
      const at = (index: number) => `/submissions/poll-${index}/mine`;
      await parallel(
        Array.from({ length: most }, (_, index) => index),
        async (index) => answerOf(await viewer.put(at(index), index)),
      );
      refused(await viewer.put(at(most), 1), 409, "KEY_LIMIT");
      refused(await viewer.putRaw(at(most), "{"), 400, "INVALID_BODY");
      refused(await viewer.putRaw(at(most), quoted("a", MAX + 1)), 413, "VALUE_TOO_LARGE");
      refused(await viewer.get(at(most)), 404, "NOT_FOUND");
      assert.equal(answerOf(await viewer.put(at(0), "changed")).value, "changed");
      assert.equal(answerOf(await editor.put(at(0), "another's")).value, "another's");
      answered(await viewer.delete(at(most)), { ok: true });
      refused(await viewer.put(at(most), 1), 409, "KEY_LIMIT");
      answered(await viewer.delete(at(1)), { ok: true });
      answered(await viewer.delete(at(1)), { ok: true });
      const race = await Promise.all(
        Array.from({ length: 20 }, (_, index) => viewer.put(at(most + index), index)),
      );
      for (const answer of race) if (answer.status !== 200) refused(answer, 409, "KEY_LIMIT");
      assert.equal(race.filter(({ status }) => status === 200).length, 1);
    });
  });
}
