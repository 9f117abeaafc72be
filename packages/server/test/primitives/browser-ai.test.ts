import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { play, type Step } from "@easel/conformance/ai/script";
import { stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { ROOT } from "../areas.ts";
import { startAiProvider } from "../support/ai-provider.ts";
import { noBrowser, openBrowser } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { atEnd } from "../support/service.ts";
import { enterAs, startSite } from "../support/site.ts";

const PAGE = `<!doctype html><meta charset=utf-8><title>Page</title><script src="/sdk/v1.js"></script>`;
const OPTIONS = `{ model: "claude-haiku-5-5" }`;

/** Returns the script of an array of messages for which the provider plays steps. */
const asking = (steps: Step[], mark = "") => JSON.stringify([{ role: "user", content: play(steps, mark) }]);

test("a browser chats, streams, stops and fails", { skip: noBrowser }, async (t) => {
  const provider = await startAiProvider(t);
  const site = await startSite(t, "subdomain", { settings: provider.settings });
  const canvas = await stage(site.target, { switches: { ai: true } });
  await publish(site.target, canvas, { "index.html": PAGE });
  const context = await (await openBrowser(t)).newContext();
  await enterAs(context, site, canvas.people.owner);
  const page = await context.newPage();
  await page.goto(site.env.base.canvasUrl(canvas.slug));

  await t.test("chat", async () => {
    const messages = asking([
      { text: "Té" },
      { text: "e 🍵\u2028" },
      { end: { inputTokens: 1000, outputTokens: 100 } },
    ]);
    assert.deepEqual(await page.evaluate(`easel.ai.chat(${messages}, ${OPTIONS})`), {
      text: "Tée 🍵\u2028",
      usage: { inputTokens: 1000, outputTokens: 100, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 },
      cost: 0.00015,
    });
  });

  await t.test("a stream has its usage and cost after the last text", async () => {
    const messages = asking([{ text: "a", times: 50 }, { end: {} }]);
    const seen = await page.evaluate(`(async () => {
        const stream = easel.ai.stream(${messages}, ${OPTIONS});
        const before = stream.usage === undefined && stream.cost === undefined;
        let text = "";
        for await (const piece of stream) text += piece;
        return { before, text, output: stream.usage.outputTokens, cost: typeof stream.cost };
      })()`);
    assert.deepEqual(seen, { before: true, text: "a".repeat(50), output: 7, cost: "number" });
  });

  /** Runs a script that reads the stream until its first text, and then stops it. The provider has more to send and must notice. */
  const stops = (title: string, script: string, result: string) =>
    t.test(`the provider is stopped by ${title}`, async () => {
      const messages = asking([{ text: "first" }, { hang: true }], title);
      const seen = await page.evaluate(`(async () => {
          const stop = new AbortController();
          const stream = easel.ai.stream(${messages}, { ...${OPTIONS}, signal: stop.signal });
          let text = "";
          const read = async () => {
            for await (const piece of stream) {
              text = piece;
              ${script}
            }
          };
          return [await read().catch((error) => error.name), text, stream.usage, stream.cost].join();
        })()`);
      assert.equal(seen, result);
      await until("the provider's connection is closed", async () => {
        const [request] = await provider.log(title);
        return request?.ended === "closed";
      });
    });

  await stops("an abort", "setTimeout(() => stop.abort());", "AbortError,first,,");
  await stops("a break", "break;", ",first,,");
  await stops("an error of the page", "throw new RangeError();", "RangeError,first,,");

  await t.test("the provider is stopped when the page is closed", async () => {
    const other = await context.newPage();
    await other.goto(site.env.base.canvasUrl(canvas.slug));
    const messages = asking([{ text: "first" }, { hang: true }], "closed page");
    await other.evaluate(`easel.ai.stream(${messages}, ${OPTIONS})[Symbol.asyncIterator]().next()`);
    await other.close();
    await until("the provider's connection is closed", async () => {
      const [request] = await provider.log("closed page");
      return request?.ended === "closed";
    });
  });

  await t.test("a failure of the provider, and a refusal of the service", async () => {
    const fails = (messages: string, options = OPTIONS) =>
      page.evaluate(
        `easel.ai.chat(${messages}, ${options}).catch(({ name, code, status }) => [name, code, status].join())`,
      );
    assert.equal(await fails(asking([{ text: "a" }, { cut: true }])), "EaselError,AI_UPSTREAM_ERROR,502");
    assert.equal(await fails("[]"), "EaselError,INVALID_BODY,400");
    assert.equal(
      await fails(asking([{ end: {} }]), `{ model: "other" }`),
      "EaselError,MODEL_NOT_ALLOWED,403",
    );
  });
});

test("a connection that breaks in a browser is AI_STREAM_TRUNCATED", { skip: noBrowser }, async (t) => {
  const bundle = readFileSync(path.join(ROOT, "packages/sdk/dist/v1.js"));
  const server = createServer((request, response) => {
    if (request.url === "/sdk/v1.js") return void response.end(bundle);
    if (request.method === "GET")
      return void response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"type":"delta","text":"first"}\n\n');
    // The page posts a second time when it has the first text.
    server.once("request", () => response.socket?.resetAndDestroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(t, async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const page = await (await openBrowser(t)).newPage();
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/c/tea/`);
  const seen = await page.evaluate(`(async () => {
    const texts = [];
    try {
      for await (const text of easel.ai.stream([], ${OPTIONS})) {
        texts.push(text);
        fetch("/break");
      }
    } catch ({ code, status, cause }) {
      return [...texts, code, status, cause instanceof TypeError];
    }
  })()`);
  assert.deepEqual(seen, ["first", "AI_STREAM_TRUNCATED", 502, true]);
});
