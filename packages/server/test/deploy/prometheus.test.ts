import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { type Gauge, Histogram } from "../../src/metrics/metric.ts";
import { listMetrics, metricsText, newMetrics } from "../../src/metrics/metrics.ts";
import { ROOT } from "../areas.ts";
import { missing } from "../support/programs.ts";

const RULES = path.join(ROOT, "deploy/prometheus/rules.yml");
const TESTS = path.join(import.meta.dirname, "alerts.yml");

/** Runs promtool. Fails the test unless it ends with 0. Returns all that it has said. */
function promtool(args: string[], input = ""): string {
  const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
  return stdout + stderr;
}

describe("promtool accepts", { skip: missing("promtool") }, () => {
  test("the alerts", () => {
    assert.match(promtool(["check", "rules", "--lint-fatal", RULES]), /SUCCESS: \d\d rules found/);
  });

  test("what raises each alert, and what does not", () => {
    const [tests, rules] = [readFileSync(TESTS, "utf8"), readFileSync(RULES, "utf8")];
    for (const [, name = ""] of rules.matchAll(/alert: (\w+)/g)) assert.ok(tests.includes(name), name);
    assert.match(promtool(["test", "rules", TESTS]), /SUCCESS/);
  });

  test("every metric, by its format and the rules for names, with hostile values of labels", () => {
    const metrics = newMetrics();
    for (const metric of listMetrics(metrics)) {
      const values = metric.labels.map((label) => `${label} "\\\n{}é\ud800`);
      if (metric instanceof Histogram) metric.observe(1.5, ...values);
      else (metric as Gauge<string[]>).add(1.5, ...values);
    }
    // It also says what it would do otherwise, and ends with 0 then.
    assert.equal(promtool(["check", "metrics"], metricsText(metrics)), "");
  });
});
