import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { send } from "@easel/conformance/http";
import { enter } from "@easel/conformance/realtime/frame";
import { connect } from "@easel/conformance/realtime/socket";
import { sweep } from "../../src/canvases/sweep.ts";
import { SetupError } from "../../src/config/setting-types.ts";
import { type Part, ProviderFailure } from "../../src/drivers/ai/ai.ts";
import { UpstreamFailure } from "../../src/drivers/outbound/outbound.ts";
import { serveMetrics } from "../../src/http/metrics-server.ts";
import { listMetrics, newMetrics } from "../../src/metrics/metrics.ts";
import { connected } from "../primitives/connections/connected.ts";
import { ScriptedOutbound } from "../primitives/connections/scripted-outbound.ts";
import { startDev } from "../support/engines.ts";
import { upload } from "../support/publish.ts";
import { atEnd, PROXY, type Scope } from "../support/service.ts";
import { zip } from "../support/zip.ts";

/** The samples of a text of metrics: the value of each, by its name and labels as they are written. */
type Samples = Map<string, number>;

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = String.raw`[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"`;
const SAMPLE = new RegExp(String.raw`^((${NAME})(?:\{(${LABEL}(?:,${LABEL})*)\})?) (\S+)$`);
const VALUE = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/;

/**
 * Parses the text format of Prometheus strictly: each metric has its HELP and TYPE before its samples, all samples of a metric are together,
 * none is there twice, and the buckets of a histogram do not decrease and end with that of all.
 */
function parsed(text: string): Samples {
  const samples: Samples = new Map();
  const types = new Map<string, string>();
  let current = "";
  assert.ok(text.endsWith("\n"));
  let bucket = { series: "", count: 0 };
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === "HELP") {
      assert.ok(!types.has(name), `${name} is there twice`);
      current = name;
    } else if (kind === "TYPE") {
      assert.equal(name, current);
      assert.ok(["counter", "gauge", "histogram"].includes(rest));
      types.set(name, rest);
    } else {
      const [, key = "", sampled = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
      assert.notEqual(key, "", `no sample: ${line}`);
      assert.match(value, VALUE);
      const isHistogram = types.get(current) === "histogram";
      const suffix = sampled.slice(current.length);
      assert.ok(sampled.startsWith(current), line);
      assert.ok(isHistogram ? ["_bucket", "_sum", "_count"].includes(suffix) : suffix === "", line);
      assert.ok(!samples.has(key), `${key} is there twice`);
      samples.set(key, Number(value.replace("Inf", "Infinity")));
      if (suffix === "_bucket") {
        const series = labels.replace(/,?le="[^"]*"$/, "");
        if (series !== bucket.series || sampled !== `${current}_bucket`) bucket = { series, count: 0 };
        assert.ok(Number(value) >= bucket.count, line);
        bucket = { series, count: Number(value) };
      } else if (suffix === "_count") {
        assert.equal(Number(value), bucket.count, line);
        bucket = { series: "", count: 0 };
      }
    }
  }
  return samples;
}

const get = (base: string, path: string) => send(base, { method: "GET", path });

/** Starts a service that measures, and a listener for its metrics. Returns the service, and a function that reads them. */
async function startMeasured(scope: Scope, settings: Record<string, string> = {}) {
  const { target, env } = await startDev(scope, { SERVICE_METRICS_ADDRESS: "0", ...settings });
  const server = await serveMetrics({ host: "127.0.0.1", port: 0 }, env);
  atEnd(scope, () => server.stop());
  const base = `http://127.0.0.1:${server.port}`;
  return { target, env, base, read: async () => parsed((await get(base, "/metrics")).text) };
}

const requests = (method: string, route: string, status: number | string) =>
  `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"}`;

/** Waits until a sample is there: a request is measured after its response has arrived. */
async function sampleOf(read: () => Promise<Samples>, key: string): Promise<number> {
  for (let attempts = 0; attempts < 100; attempts++) {
    const found = (await read()).get(key);
    if (found !== undefined) return found;
  }
  return assert.fail(`no sample ${key} among ${[...(await read()).keys()].join("\n")}`);
}

test("what happens is counted: requests by route, refusals, limits, sign-ins, deploys and commits", async (t) => {
  const { target, read } = await startMeasured(t, { SERVICE_RATELIMIT_ENABLED: "true" });
  const ada = await target.signIn("ada@acme.test");
  const asAda = (method: string, path: string, body = "") =>
    send(target.base, {
      method,
      path,
      headers: [...ada.headers, ["Content-Type", "application/json"]],
      body,
    });
  const { id, slug } = (await asAda("POST", "/api/canvases", '{"title":"Votes"}')).json;
  assert.equal((await upload(target, ada, String(id), await zip({ "index.html": "hi" }))).status, 200);
  await asAda("PATCH", `/api/canvases/${id}/capabilities`, '{"backendEnabled":true}');
  await asAda("PUT", `/v1/c/${slug}/kv/secret-word`, "1");
  for (let times = 0; times < 2; times++) await asAda("GET", `/v1/c/${slug}/kv/secret-word`);
  await get(target.base, `/v1/c/${slug}/kv/secret-word`);
  await send(target.base, { path: "/no/such/page?of=eve@acme.test", method: "PROPFIND" });
  for (let times = 0; times < 25; times++)
    await send(target.base, {
      method: "POST",
      path: "/auth/dev/session",
      headers: [["Content-Type", "application/json"]],
      body: JSON.stringify({ email: "no address" }),
    });

  assert.equal(await sampleOf(read, requests("GET", "/v1/c/:slug/kv/:key", 200)), 2);
  assert.equal(await sampleOf(read, requests("GET", "/v1/c/:slug/kv/:key", 401)), 1);
  const samples = await read();
  assert.equal(samples.get(requests("_OTHER", "unmatched", 404)), 1);
  assert.equal(samples.get("http_server_active_requests"), 0);
  assert.equal(samples.get('easel_sign_ins_total{outcome="member"}'), 1);
  assert.equal(samples.get('easel_deploys_total{outcome="published"}'), 1);
  assert.ok((samples.get('easel_refusals_total{code="RATE_LIMITED"}') ?? 0) >= 1);
  assert.equal(
    samples.get('easel_rate_limited_total{class="login"}'),
    samples.get('easel_refusals_total{code="RATE_LIMITED"}'),
  );
  assert.ok((samples.get('easel_refusals_total{code="NOT_AUTHENTICATED"}') ?? 0) >= 1);
  assert.ok((samples.get('easel_db_commit_duration_seconds_count{engine="sqlite"}') ?? 0) >= 3);
  assert.equal(samples.get('easel_db_available{engine="sqlite"}'), 1);
  for (const disk of ["data", "database", "blobs"])
    assert.ok((samples.get(`easel_disk_free_bytes{disk="${disk}"}`) ?? 0) > 0, disk);
  assert.ok((samples.get("process_resident_memory_bytes") ?? 0) > 1e7);
  const text = [...samples.keys()].join("\n");
  for (const private_ of [String(slug), "secret-word", "ada@", "eve@", "acme"])
    assert.ok(!text.includes(private_), `${private_} is in a label`);
});

test("AI, Connections, live connections and the sweep are counted, by model and server and not by who uses them", async (t) => {
  const { target, env, read } = await startMeasured(t, {
    SERVICE_AI_API_KEY: "key-of-the-tests",
    SERVICE_AI_MODELS: "m",
    SERVICE_AI_PRICES: JSON.stringify({ m: { input: 2, output: 10, cacheWrite: 2, cacheRead: 2 } }),
  });
  const usage = {
    inputTokens: 1_000_000,
    outputTokens: 100_000,
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: 0,
  };
  env.ai = {
    tellsInputFirst: false,
    async *stream({ messages }): AsyncIterable<Part> {
      if (messages[0]?.content === "fail") throw new ProviderFailure("busy", "busy", false);
      yield { type: "text", text: "Hello." };
      yield { type: "end", usage };
    },
  };
  const outbound = new ScriptedOutbound();
  outbound.onSend = (sent) =>
    sent.request.path === "/down" ? sent.fail(new UpstreamFailure("down")) : sent.respond("{}");
  env.outbound = outbound;
  const { slug, pages, people, profile } = await connected(target, {
    switches: { ai: true, realtime: true },
  });
  for (const content of ["hello", "fail"])
    await pages.owner.post("/ai/chat", { model: "m", messages: [{ role: "user", content }], maxTokens: 5 });
  for (const path of ["x", "x", "down"]) await pages.viewer.get(`/connections/${profile}/${path}`);
  const socket = await connect(target, slug, people.owner);
  await enter(socket, "room");
  const open = await read();
  await socket.close();
  await sweep(env);

  const samples = await read();
  const counted = (name: string, of = samples) => of.get(name);
  assert.equal(counted('easel_ai_requests_total{model="m",outcome="done"}'), 1);
  assert.equal(counted('easel_ai_requests_total{model="m",outcome="failed"}'), 1);
  assert.equal(counted('easel_ai_cost_usd_total{model="m"}'), 3);
  assert.equal(
    counted('gen_ai_client_token_usage_sum{gen_ai_request_model="m",gen_ai_token_type="input"}'),
    1_000_000,
  );
  assert.equal(
    counted('gen_ai_client_token_usage_sum{gen_ai_request_model="m",gen_ai_token_type="output"}'),
    100_000,
  );
  const calls = (status: number | string) =>
    counted(
      `http_client_request_duration_seconds_count{server_address="api.test",http_response_status_code="${status}"}`,
    );
  assert.deepEqual([calls(200), calls("error")], [2, 1]);
  assert.deepEqual(
    [counted("easel_realtime_connections", open), counted("easel_realtime_connections")],
    [1, 0],
  );
  assert.equal(counted('easel_realtime_frames_total{direction="in"}', open), 1);
  assert.equal(counted('easel_realtime_frames_total{direction="out"}', open), 2);
  assert.equal(counted("easel_blobs_swept_total"), 0);
  assert.ok(Date.now() / 1000 - (counted("easel_sweep_last_success_timestamp_seconds") ?? 0) < 60);
  const text = [...samples.keys()].join("\n");
  for (const private_ of [slug, profile, ...Object.values(people).map(({ email }) => email)])
    assert.ok(!text.includes(private_), `${private_} is in a label`);
});

test("a request whose client goes before the response counts as 499, and is active no longer", async (t) => {
  const { target, env, read } = await startMeasured(t, { SERVICE_LOG_LEVEL: "silent" });
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: never, reject: end } = Promise.withResolvers<never>();
  t.mock.method(env.bus, "publish", async () => {
    ask();
    return never;
  });
  never.catch(() => {});
  const { port } = new URL(target.base);
  const socket = net.connect(Number(port), "127.0.0.1");
  socket.write(`GET /readyz HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
  await asked;
  assert.equal((await read()).get("http_server_active_requests"), 1);
  socket.destroy();
  assert.equal(await sampleOf(read, requests("GET", "/readyz", 499)), 1);
  assert.equal((await read()).get("http_server_active_requests"), 0);
  end(new Error("the test is over"));
});

test("a database that hangs or fails holds up nobody who reads the metrics", async (t) => {
  const { env, read } = await startMeasured(t, { SERVICE_LOG_LEVEL: "silent" });
  const all = t.mock.method(env.db, "all", async () => Promise.reject(new Error("away")));
  assert.ok((await read()).has("process_cpu_seconds_total"));
  const { promise: never, reject: end } = Promise.withResolvers<never[]>();
  all.mock.mockImplementation(() => never);
  assert.ok((await read()).has("process_cpu_seconds_total"));
  end(new Error("the test is over"));
});

test("the public port never has metrics, in no mode, and the listener has nothing else", async (t) => {
  const { target, base } = await startMeasured(t, PROXY);
  const { status, text } = await get(target.base, "/metrics");
  assert.ok(status >= 400);
  assert.doesNotMatch(text, /# TYPE/);
  for (const path of ["/", "/metrics/", "/api/me", "/v1/c/x/kv/y"])
    assert.equal((await get(base, path)).status, 404, path);
  assert.equal((await send(base, { path: "/metrics", method: "POST" })).status, 405);
  const head = await send(base, { path: "/metrics", method: "HEAD" });
  assert.deepEqual([head.status, head.text], [200, ""]);
  const { headers } = await get(base, "/metrics?x=1");
  assert.equal(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(headers["access-control-allow-origin"], undefined);
});

test("SERVICE_METRICS_ADDRESS is listened at; a port in use is a mistake of the settings in words", async (t) => {
  const other = net.createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as net.AddressInfo;
  const settings = { SERVICE_METRICS_ADDRESS: `127.0.0.1:${port}` };
  await assert.rejects(startDev(t, settings), (error) => {
    assert.ok(error instanceof SetupError);
    assert.equal(
      error.message,
      `SERVICE_METRICS_ADDRESS 127.0.0.1:${port} cannot be used: another program listens there`,
    );
    return true;
  });
  other.close();
  await once(other, "close");
  await startDev(t, settings);
  const samples = parsed((await get(`http://127.0.0.1:${port}`, "/metrics")).text);
  assert.ok(samples.has("easel_realtime_connections"));
});

test("every metric of the table can be written", () => {
  const metrics = listMetrics(newMetrics());
  assert.ok(metrics.length > 25);
  for (const metric of metrics) {
    const values = metric.labels.map(() => "x");
    if ("observe" in metric)
      (metric as { observe(value: number, ...values: string[]): void }).observe(1, ...values);
    else (metric as unknown as { add(by: number, ...values: string[]): void }).add(1, ...values);
    assert.ok(parsed(metric.text()).size > 0);
  }
});
