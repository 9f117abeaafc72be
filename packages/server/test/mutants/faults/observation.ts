import { type Fault, fault } from "../fault.ts";

/** Faults of what operators see: metrics and log lines. */
export const observation: Fault[] = [
  fault(
    "log: an error that nothing has caught is no line of the log",
    "packages/server/src/commands/start.ts",
    'newLog("fatal").fatal({ err, origin }, "the service ends: nothing has caught an error");',
    "process.stderr.write(String(err.stack));",
    "packages/server/test/service/stop.test.ts",
  ),
  fault(
    "metrics: made-up methods are labels",
    "packages/server/src/http/request-metrics.ts",
    'KNOWN.has(method) ? method : "_OTHER"',
    "method",
    "packages/server/test/http/metrics.test.ts",
  ),
  fault(
    "metrics: a request whose client has gone stays active",
    "packages/server/src/http/request-metrics.ts",
    'response.on("close"',
    'response.on("finish"',
    "packages/server/test/http/metrics.test.ts",
  ),
  fault(
    "metrics: the number of series has no end",
    "packages/server/src/metrics/metric.ts",
    "this.#series.length >= MAX_SERIES",
    "false",
    "packages/server/src/metrics/metric.test.ts",
  ),
  fault(
    "metrics: values of labels can break a line",
    "packages/server/src/metrics/metric.ts",
    `escapedHelp(String(value).toWellFormed()).replaceAll('"', '\\\\"')`,
    "String(value)",
    "packages/server/src/metrics/metric.test.ts",
  ),
  fault(
    "security log: refusals do not say who was refused",
    "packages/server/src/identity/identify.ts",
    '  if (user.kind !== "visitor") request.callerId = user.id;\n',
    "",
    "packages/server/test/http/log-security.test.ts",
  ),
  fault(
    "security log: a refusal of another site is no refusal",
    "packages/server/src/http/security-log.ts",
    "[403, 421, 429]",
    "[421, 429]",
    "packages/server/test/http/log-security.test.ts",
  ),
  fault(
    "security log: every refusal of a caller is logged",
    "packages/server/src/async/sampled.ts",
    "seen < PER_KEY &&",
    "",
    "packages/server/src/async/sampled.test.ts",
  ),
  fault(
    "security log: a crowd of callers fills it",
    "packages/server/src/async/sampled.ts",
    "this.#seen.size < MAX_KEYS",
    "true",
    "packages/server/src/async/sampled.test.ts",
  ),
  fault(
    "audit log: entries are logged before they are written",
    "packages/server/src/organisation/audit.ts",
    "  await env.db.withReserve.run(...statement);\n",
    "  void statement;\n",
    "packages/server/test/http/log-security.test.ts",
  ),
  fault(
    "traces: the text of a request is passed on as it is",
    "packages/server/src/primitives/connections/upstream-request.ts",
    "if (TRACE_HEADERS.includes(name) && trace === null) continue;",
    "",
    "packages/server/src/primitives/connections/upstream-request.test.ts",
  ),
  fault(
    "traces: any text is a trace",
    "packages/server/src/http/trace.ts",
    "return isZero(id) || isZero(parent) ? null : { id, flags };",
    "return { id, flags };",
    "packages/server/src/http/trace.test.ts",
  ),
];
