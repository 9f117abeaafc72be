import { type Fault, fault } from "../fault.ts";

/** Faults of what operators see: metrics and log lines. */
export const observation: Fault[] = [
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
    'response.once("close"',
    'response.once("finish"',
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
];
