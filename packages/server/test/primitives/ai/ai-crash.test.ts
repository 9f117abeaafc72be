import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { play, type Step } from "@easel/conformance/ai/script";
import { stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { devTarget } from "@easel/conformance/target";
import { readConfig } from "../../../src/config/config.ts";
import { openDb } from "../../../src/drivers/index.ts";
import { chat, type Received } from "../../support/ai-chat.ts";
import { startAiProvider } from "../../support/ai-provider.ts";
import { startProcess } from "../../support/process.ts";
import { atEnd, ENGINES, type Scope, temporaryDirectory } from "../../support/service.ts";

const HANGING: Step[] = [{ text: "abcdef" }, { hang: true }];
const PRICES = { m: { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 } };

/** A service as a process, with a stream that is open. */
interface Streaming {
  process: Awaited<ReturnType<typeof startProcess>>;
  restart(): Promise<unknown>;
  db: Awaited<ReturnType<typeof openDb>>;
  received: Promise<Received>;
  /** Resolves when the provider's connection is closed. */
  upstreamClosed: Promise<void>;
}

async function startStreaming(t: Scope): Promise<Streaming> {
  const provider = await startAiProvider(t);
  const directory = await temporaryDirectory(t);
  const settings = {
    ...provider.settings,
    SERVICE_AI_MODELS: "m",
    SERVICE_AI_PRICES: JSON.stringify(PRICES),
    SERVICE_DATABASE_URL: (await ENGINES[0]?.migratedDatabase(t)) ?? assert.fail(),
  };
  const process = await startProcess(t, directory, settings);
  const canvas = await stage(devTarget(process.base, "path"));
  const begun = Promise.withResolvers<void>();
  const received = chat({
    canvas: `${process.base}/v1/c/${canvas.slug}`,
    headers: Object.fromEntries(canvas.people.owner.headers),
    body: { model: "m", messages: [{ role: "user", content: play(HANGING, "crash") }], maxTokens: 500 },
    onEvent: () => begun.resolve(),
  });
  await Promise.race([begun.promise, received.then((early) => assert.fail(JSON.stringify(early)))]);
  const db = await openDb(readConfig(settings), assert.ifError);
  atEnd(t, () => db.close());
  return {
    process,
    restart: () => startProcess(t, directory, settings),
    db,
    received,
    upstreamClosed: until("the provider's connection is closed", async () => {
      const [request] = await provider.log("crash");
      return request?.ended === "closed";
    }),
  };
}

/** Returns the request and the sums under the caps of the person, the canvas and the instance. */
async function ledgerOf({ db }: Streaming) {
  const rows = await db.all<{ state: string; cost: number; reserved: number; output_tokens: number }>`
    select state, cost, reserved, output_tokens from ai_requests`;
  const sums = await db.all<{ spent: number; reserved: number }>`select spent, reserved from ai_spend`;
  assert.deepEqual([rows.length, sums.length], [1, 3]);
  const [row = assert.fail()] = rows;
  return { row, sums };
}

describe("an open stream", { concurrency: true }, () => {
  it("kill -9: the next start settles it as lost, at what was reserved", async (t) => {
    const streaming = await startStreaming(t);
    const { process, db, received, upstreamClosed } = streaming;
    await process.end("SIGKILL");
    const { events, broken } = await received;
    assert.deepEqual([events, broken], [[{ type: "delta", text: "abcdef" }], true]);
    await upstreamClosed;
    const open = await ledgerOf(streaming);
    assert.equal(open.row.state, "open");
    for (const { spent, reserved } of open.sums) assert.deepEqual([spent, reserved], [0, open.row.reserved]);

    // The lease of the killed process has ended.
    await db.run`update leases set leased_until = 1`;
    await streaming.restart();
    await until("it is settled", async () => (await ledgerOf(streaming)).row.state !== "open");
    const { row, sums } = await ledgerOf(streaming);
    assert.deepEqual([row.state, row.cost, row.output_tokens], ["lost", row.reserved, 0]);
    assert.ok(row.cost > 0);
    for (const { spent, reserved } of sums) assert.deepEqual([spent, reserved], [row.cost, 0]);
  });

  it("SIGTERM: it is settled as aborted before the service exits with code 0", async (t) => {
    const streaming = await startStreaming(t);
    const { process, received, upstreamClosed } = streaming;
    assert.equal(await process.end("SIGTERM"), 0);
    assert.deepEqual((await received).events, [{ type: "delta", text: "abcdef" }]);
    await upstreamClosed;
    const { row, sums } = await ledgerOf(streaming);
    assert.deepEqual([row.state, row.output_tokens], ["aborted", 6 + 256]);
    assert.ok(row.cost > 0 && row.cost < row.reserved);
    for (const { spent, reserved } of sums) assert.deepEqual([spent, reserved], [row.cost, 0]);
  });
});
