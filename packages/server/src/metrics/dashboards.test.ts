import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { listMetrics, newMetrics } from "./metrics.ts";

const DEPLOY = path.join(import.meta.dirname, "../../../../deploy");
const read = (file: string) => readFileSync(path.join(DEPLOY, file), "utf8");

const METRICS = listMetrics(newMetrics());
const LABELS = new Map(METRICS.map(({ name, labels }) => [name, labels]));

/** The names under which the metrics can be asked for: a histogram is several series. */
const SERIES = new Map(
  METRICS.flatMap(({ name, type }) =>
    (type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]).map(
      (suffix) => [name + suffix, name] as const,
    ),
  ),
);

/** What Prometheus itself adds to series, and the labels of histograms. */
const ADDED = ["job", "instance", "le"];

/** Fails if a query asks for a metric, or a label of it, that does not exist. Returns the names of the metrics. */
function requireKnown(query: string): string[] {
  const asked = [...query.matchAll(/\b([a-z_0-9]+)(\{[^{}]*\})/g)].map(([, name = "", matchers = ""]) => {
    const metric = name === "up" ? "" : SERIES.get(name);
    assert.notEqual(metric, undefined, `no metric ${name}: ${query}`);
    const labels = [...ADDED, ...(LABELS.get(metric ?? "") ?? [])];
    for (const [, label = ""] of matchers.matchAll(/\b(\w+)(?:=~|!~|!=|=)/g))
      assert.ok(labels.includes(label), `${name} has no label ${label}`);
    return metric ?? "";
  });
  assert.notEqual(asked.length, 0, query);
  const known = [...ADDED, ...asked.flatMap((name) => LABELS.get(name) ?? [])];
  for (const [, list = ""] of query.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of list.split(/, */)) assert.ok(known.includes(label), `no label ${label}: ${query}`);
  return asked;
}

test("each query of the Grafana dashboard asks for metrics and labels that exist, and every metric is shown", () => {
  interface Panel {
    id: number;
    targets?: { expr: string; legendFormat: string }[];
  }
  const { panels } = JSON.parse(read("grafana/easel.json")) as { panels: Panel[] };
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const shown = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => requireKnown(expr)));
  assert.deepEqual(
    METRICS.map(({ name }) => name).filter((name) => !shown.includes(name)),
    [],
  );
});

test("each alert asks for metrics and labels that exist, and says what is wrong", () => {
  const alerts = read("prometheus/rules.yml").split("- alert: ").slice(1);
  assert.ok(alerts.length >= 10);
  for (const alert of alerts) {
    const [, block, line] = /expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/.exec(alert) ?? [];
    requireKnown(block ?? line ?? "");
    assert.match(alert, /severity: (critical|warning)\n/);
    assert.match(alert, /summary: ".+"\n/);
  }
});
