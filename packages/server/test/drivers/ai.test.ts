import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { play, type Step } from "@easel/conformance/ai/script";
import { closedPort } from "@easel/conformance/closed-port";
import { until } from "@easel/conformance/patience";
import { readConfig } from "../../src/config/config.ts";
import { type Ai, type Part, type Prompt, ProviderFailure } from "../../src/drivers/ai/ai.ts";
import { anthropic } from "../../src/drivers/ai/anthropic.ts";
import { openai } from "../../src/drivers/ai/openai.ts";
import { SdkAi } from "../../src/drivers/ai/sdk-ai.ts";
import { openAi } from "../../src/drivers/index.ts";
import { startAiProvider } from "../support/ai-provider.ts";
import { atEnd, type Scope } from "../support/service.ts";

const WIRES = { anthropic, openai };
const KEY = "key-of-the-tests";
/** Long enough for a busy machine to stream a short text. */
const IDLE_MS = 1_000;

/** Texts that no message of a failure may contain. */
const SECRETS = [KEY, "private words", "secret of the provider", "127.0.0.1"];

const prompt = (content: string, maxTokens = 10): Prompt => ({
  model: "m",
  system: "private words",
  messages: [{ role: "user", content }],
  maxTokens,
});

const never = () => new AbortController().signal;

async function parts(ai: Ai, asked: Prompt, signal = never()): Promise<Part[]> {
  const received: Part[] = [];
  for await (const part of ai.stream(asked, signal)) received.push(part);
  return received;
}

/** Requires that a prompt fails. Returns the texts before the failure, its reason, and whether the provider may have worked. */
async function failing(ai: Ai, asked: Prompt): Promise<[text: string, reason: string, processed: boolean]> {
  let text = "";
  try {
    for await (const part of ai.stream(asked, never())) if (part.type === "text") text += part.text;
  } catch (error) {
    assert.ok(error instanceof ProviderFailure, String(error));
    for (const secret of SECRETS)
      assert.ok(!`${error.message}${error.cause ?? ""}${error.stack}`.includes(secret), error.message);
    return [text, error.reason, error.processed];
  }
  return assert.fail("the stream ended without a failure");
}

/** A host that records what it receives and responds with 500. */
async function startHost(
  scope: Scope,
): Promise<{ origin: string; paths: string[]; bodies: object[]; traces: unknown[] }> {
  const [paths, bodies, traces]: [string[], object[], unknown[]] = [[], [], []];
  const server: Server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    paths.push(request.url ?? "");
    traces.push(request.headers.traceparent);
    bodies.push(JSON.parse(body));
    response.writeHead(500).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(scope, async () => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths, bodies, traces };
}

const FAILURES: [what: string, steps: Step[], text: string, reason: string, processed: boolean][] = [
  ["400", [{ status: 400 }], "", "failed", false],
  ["401", [{ status: 401 }], "", "failed", false],
  ["404", [{ status: 404 }], "", "failed", false],
  ["429", [{ status: 429, headers: { "retry-after": "60" } }], "", "busy", false],
  ["500", [{ status: 500 }], "", "failed", false],
  ["408", [{ status: 408 }], "", "timeout", true],
  ["504", [{ status: 504 }], "", "timeout", true],
  ["200 and no events", [{ status: 200, body: "{}" }], "", "failed", true],
  ["503", [{ status: 503 }], "", "busy", false],
  ["529", [{ status: 529 }], "", "busy", false],
  [
    "an error status with a text body",
    [{ status: 500, body: "<h1>secret of the provider</h1>" }],
    "",
    "failed",
    false,
  ],
  ["an error event", [{ text: "a" }, { error: "secret of the provider" }], "a", "failed", true],
  ["no JSON in an event", [{ text: "a" }, { raw: "data: {secret of the provider\n\n" }], "a", "failed", true],
  ["a reset before any text", [{ cut: true }], "", "failed", true],
  ["a reset after some text", [{ text: "a" }, { text: "b" }, { cut: true }], "ab", "failed", true],
  ["an end without completion", [{ text: "a" }], "a", "failed", true],
  ["an end before any text", [{ raw: "" }], "", "failed", true],
];

for (const [name, factory] of Object.entries(WIRES)) {
  describe(`provider ${name}`, async () => {
    const scope = { after };
    const provider = await startAiProvider(scope, name as keyof typeof WIRES);
    const url = `${provider.settings.SERVICE_AI_BASE_URL}/v1`;
    const ai = new SdkAi(factory(KEY, url));
    let marks = 0;
    const mark = () => `${name}-${++marks}`;

    it("sends the trace of a prompt, and none without one", async (t) => {
      const host = await startHost(t);
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      for (const each of [{ ...prompt("a"), traceparent }, prompt("a")])
        await failing(new SdkAi(factory(KEY, `${host.origin}/v1`)), each);
      assert.deepEqual(host.traces, [traceparent, undefined]);
    });

    it("streams texts and thinking in order, and then the usage", async () => {
      const steps: Step[] = [
        { think: "hm" },
        { text: "a" },
        { text: "b" },
        { end: { inputTokens: 3, outputTokens: 4, cacheReadInputTokens: 5 } },
      ];
      const received = await parts(ai, prompt(play(steps)));
      assert.deepEqual(
        received.filter(({ type }) => type !== "input"),
        [
          { type: "thinking", text: "" },
          { type: "thinking", text: "hm" },
          { type: "text", text: "a" },
          { type: "text", text: "b" },
          {
            type: "end",
            usage: { inputTokens: 3, outputTokens: 4, cacheCreationInputTokens: 0, cacheReadInputTokens: 5 },
          },
        ],
      );
    });

    it("asks once, with the key, the model, the texts and maxTokens", async () => {
      const own = mark();
      const text = play([{ status: 500 }], own);
      await failing(ai, prompt(text, 77));
      const [received, ...more] = await provider.log(own);
      assert.deepEqual(more, []);
      const { headers, body } = received ?? assert.fail();
      assert.ok(JSON.stringify(headers).includes(KEY));
      assert.deepEqual([body.model, body.max_tokens, body.stream], ["m", 77, true]);
      assert.ok(JSON.stringify(body).includes("private words"));
    });

    for (const [what, steps, text, reason, processed] of FAILURES)
      it(`${what}: ${reason}, ${processed ? "and the provider may have worked" : "and the provider has not worked"}`, async () => {
        const own = mark();
        assert.deepEqual(await failing(ai, prompt(play(steps, own))), [text, reason, processed]);
        assert.equal((await provider.log(own)).length, 1);
      });

    for (const status of [301, 302, 307, 308])
      it(`${status}: is not followed, so no other host receives the key`, async () => {
        const other = await startHost(scope);
        const steps: Step[] = [{ status, headers: { location: `${other.origin}/secret of the provider` } }];
        assert.deepEqual(await failing(ai, prompt(play(steps))), ["", "failed", false]);
        assert.deepEqual(other.paths, []);
      });

    for (const host of ["127.0.0.1", "localhost"])
      it(`no server at ${host}: failed, and nothing was sent`, async () => {
        const gone = new SdkAi(factory(KEY, `http://${host}:${await closedPort()}/v1`));
        assert.deepEqual(await failing(gone, prompt("private words")), ["", "failed", false]);
      });

    it("silence before the headers, before any text or after some: timeout, and the connection is closed", async () => {
      const silences: [steps: Step[], text: string][] = [
        [[{ hang: true }], ""],
        [[{ raw: ": comment\n\n" }, { hang: true }], ""],
        [[{ text: "a" }, { hang: true }], "a"],
      ];
      const impatient = new SdkAi(factory(KEY, url), IDLE_MS);
      await Promise.all(
        silences.map(async ([steps, text]) => {
          const own = mark();
          assert.deepEqual(await failing(impatient, prompt(play(steps, own))), [text, "timeout", true]);
          await until("it is closed", async () => (await provider.log(own))[0]?.ended === "closed");
        }),
      );
    });

    it("aborted before: nothing is sent", async () => {
      const own = mark();
      await assert.rejects(parts(ai, prompt(play([{ end: {} }], own)), AbortSignal.abort()));
      assert.deepEqual(await provider.log(own), []);
    });

    it("aborted during the response: throws, and the connection is closed", async () => {
      for (const steps of [[{ hang: true }], [{ text: "a" }, { hang: true }]] as Step[][]) {
        const own = mark();
        const abort = new AbortController();
        const rejected = assert.rejects(parts(ai, prompt(play(steps, own)), abort.signal));
        await until("it is sent", async () => (await provider.log(own)).length === 1);
        abort.abort();
        await until("it is closed", async () => (await provider.log(own))[0]?.ended === "closed");
        await rejected;
      }
    });

    it("a caller that takes no more parts closes the connection", async () => {
      const own = mark();
      const steps: Step[] = [{ text: "a" }, { hang: true }];
      for await (const part of ai.stream(prompt(play(steps, own)), never())) if (part.type === "text") break;
      await until("it is closed", async () => (await provider.log(own))[0]?.ended === "closed");
    });
  });
}

describe("the provider of the settings", () => {
  const ENDPOINTS = { anthropic: "messages", openai: "chat/completions" };
  const PATHS: [base: string, expected: string][] = [
    ["", "/v1/"],
    ["/", "/v1/"],
    ["/v1", "/v1/"],
    ["/proxy/v2", "/proxy/v2/"],
    ["/proxy/v2/", "/proxy/v2/"],
  ];
  const configured = (settings: Record<string, string>) => openAi(readConfig(settings));

  for (const [name, endpoint] of Object.entries(ENDPOINTS))
    it(`${name}: a base URL without a path gets /v1, and a slash at its end does not count`, async (t) => {
      for (const [base, expected] of PATHS) {
        const { origin, paths, bodies } = await startHost(t);
        const ai = await configured({
          SERVICE_AI_PROVIDER: name,
          SERVICE_AI_API_KEY: KEY,
          SERVICE_AI_BASE_URL: origin + base,
        });
        await failing(ai ?? assert.fail(), prompt("Hello", 5));
        assert.deepEqual(paths, [expected + endpoint], base);
        const { max_tokens, max_completion_tokens } = bodies[0] as Record<string, unknown>;
        assert.deepEqual([max_tokens, max_completion_tokens], [5, undefined]);
      }
    });

  it("OpenAI's own address gets max_completion_tokens; no provider's address follows redirects", async (t) => {
    const own = "https://api.openai.com/v1/chat/completions";
    for (const [name, base, expected] of [
      ["openai", null, own],
      ["openai", "https://api.openai.com", own],
      ["openai", "https://api.openai.com/v1/", own],
      ["anthropic", null, "https://api.anthropic.com/v1/messages"],
    ] as const) {
      const sent: [url: string, redirect: unknown, body: Record<string, unknown>][] = [];
      const stub = t.mock.method(globalThis, "fetch", async (url: unknown, init?: RequestInit) => {
        sent.push([String(url), init?.redirect, JSON.parse(String(init?.body))]);
        return new Response("{}", { status: 500 });
      });
      const ai = await configured({
        SERVICE_AI_PROVIDER: name,
        SERVICE_AI_API_KEY: KEY,
        ...(base === null ? {} : { SERVICE_AI_BASE_URL: base }),
      });
      try {
        await failing(ai ?? assert.fail(), prompt("Hello", 5));
      } finally {
        stub.mock.restore();
      }
      const [[url, redirect, { max_tokens, max_completion_tokens }] = assert.fail(), ...more] = sent;
      assert.deepEqual([url, redirect, more], [expected, "manual", []]);
      assert.deepEqual(
        [max_tokens, max_completion_tokens],
        name === "openai" ? [undefined, 5] : [5, undefined],
        String(base),
      );
    }
  });

  it("there is none without a key", async () => {
    assert.equal(await configured({}), null);
    assert.equal(await configured({ SERVICE_AI_PROVIDER: "openai" }), null);
  });
});
