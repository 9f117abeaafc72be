import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Stage } from "../fixture.ts";
import { until } from "../patience.ts";
import type { Target } from "../target.ts";
import { chatOf, chatRoom, freshMark } from "./chat.ts";
import { arrival, closed, onlyWith } from "./stand-in.ts";
import { begin, stream } from "./stream.ts";

/** A step of the stand-in provider: it sends 64 MiB of text, far more than fits into the buffers between the provider and a page. */
const LONG = { text: "x".repeat(16 * 1024), times: 4 * 1024 };

/** If the stand-in provider sends nothing for this number of milliseconds, the test takes it to be blocked. */
const STILL_MS = 200;

/**
 * Tests that the service closes its request to the AI provider when the page leaves. Also tests that the provider is blocked while the page
 * does not read the response.
 */
export function aborts(target: Target): void {
  describe("pages that leave or do not read", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await chatRoom(target);
    });

    it("a page that leaves before the response closes the request to the provider", async () => {
      const mark = freshMark();
      const request = begin(target, canvas, canvas.people.viewer, chatOf([{ hang: true }], mark));
      await arrival(target, mark);
      request.destroy();
      await closed(target, mark);
    });

    it("a page that leaves amid the response closes the request to the provider", async () => {
      const mark = freshMark();
      const steps = [{ text: "Hi" }, { hang: true } as const];
      const open = await stream(target, canvas, canvas.people.viewer, chatOf(steps, mark));
      assert.deepEqual(await open.next(), { type: "delta", text: "Hi" });
      assert.equal((await onlyWith(target, mark)).ended, null);
      open.close();
      await closed(target, mark);
    });

    it("a page that does not read stops the provider, and closes its request by leaving", async () => {
      const mark = freshMark();
      const open = await stream(target, canvas, canvas.people.viewer, chatOf([LONG, { end: {} }], mark));
      assert.equal((await open.next()).type, "delta");
      const sent = async () => (await onlyWith(target, mark)).sent;
      await until("the provider stands still", async () => {
        const before = await sent();
        await sleep(STILL_MS);
        return (await sent()) === before;
      });
      const { ended, sent: count } = await onlyWith(target, mark);
      assert.equal(ended, null);
      assert.ok(count < LONG.times, `${count} deltas are sent`);
      open.close();
      await closed(target, mark);
    });
  });
}
