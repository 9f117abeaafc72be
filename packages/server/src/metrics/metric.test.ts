import assert from "node:assert/strict";
import { test } from "node:test";
import { Counter, Gauge, Histogram } from "./metric.ts";
import { listMetrics, newMetrics } from "./metrics.ts";

test("a counter adds up each combination of labels, and writes HELP, TYPE and a line for each", () => {
  const counter = new Counter("calls_total", "Calls.", ["method", "status"]);
  assert.equal(counter.text(), "");
  counter.add(1, "GET", 200);
  counter.add(2, "GET", 404);
  counter.add(0.5, "GET", 200);
  assert.equal(
    counter.text(),
    "# HELP calls_total Calls.\n# TYPE calls_total counter\n" +
      'calls_total{method="GET",status="200"} 1.5\ncalls_total{method="GET",status="404"} 2\n',
  );
});

test("backslashes, quotes, line ends and half surrogates in values and in the help cannot break a line", () => {
  const gauge = new Gauge("value", "One\\two\nthree.", ["name"]);
  gauge.set(1, 'a"b\\c\nd} 9\ud800');
  assert.equal(
    gauge.text(),
    '# HELP value One\\\\two\\nthree.\n# TYPE value gauge\nvalue{name="a\\"b\\\\c\\nd} 9\ufffd"} 1\n',
  );
});

test("a gauge without labels is written once it has a value, also one that is no number", () => {
  const gauge = new Gauge("level", "Level.", []);
  assert.equal(gauge.text(), "");
  const last = () => gauge.text().trimEnd().split("\n").at(-1);
  for (const [value, text] of [
    [-2, "-2"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [1e-9, "1e-9"],
  ] as const) {
    gauge.set(value);
    assert.equal(last(), `level ${text}`);
  }
});

test("the buckets of a histogram are cumulative, a bound counts in its bucket, and sum and count are exact", () => {
  const histogram = new Histogram("size", "Sizes.", ["kind"], [1, 2.5]);
  for (const value of [0.5, 1, 2, 2.5, 7]) histogram.observe(value, "a");
  histogram.observe(9, "b");
  assert.deepEqual(histogram.text().split("\n").slice(2, -1), [
    'size_bucket{kind="a",le="1"} 2',
    'size_bucket{kind="a",le="2.5"} 4',
    'size_bucket{kind="a",le="+Inf"} 5',
    'size_sum{kind="a"} 13',
    'size_count{kind="a"} 5',
    'size_bucket{kind="b",le="1"} 0',
    'size_bucket{kind="b",le="2.5"} 0',
    'size_bucket{kind="b",le="+Inf"} 1',
    'size_sum{kind="b"} 9',
    'size_count{kind="b"} 1',
  ]);
});

test("values of labels without end count as `other`, and take no more memory", () => {
  const counter = new Counter("many_total", "Many.", ["a", "b"]);
  for (let index = 0; index < 6_000; index++) counter.add(1, index, "x");
  counter.add(1, 1, "x");
  const lines = counter.text().split("\n").slice(2, -1);
  assert.equal(lines.length, 5_001);
  assert.equal(lines[1], 'many_total{a="1",b="x"} 2');
  assert.equal(lines.at(-1), 'many_total{a="other",b="other"} 1000');
});

test("a cleared metric has no series, and begins at 0", () => {
  const counter = new Counter("calls_total", "Calls.", ["method"]);
  counter.add(5, "GET");
  counter.clear();
  assert.equal(counter.text(), "");
  counter.add(1, "PUT");
  assert.match(counter.text(), /calls_total\{method="PUT"\} 1\n$/);
});

test("every metric has a valid name of its own, says what it is, and no label can name a person, a canvas or a URL", () => {
  const metrics = listMetrics(newMetrics());
  assert.equal(new Set(metrics.map(({ name }) => name)).size, metrics.length);
  for (const { name, help, labels, type } of metrics) {
    assert.match(name, /^[a-z][a-z0-9_]*$/);
    assert.match(help, /^[A-Z0-9].*\.$/, name);
    assert.equal(name.endsWith("_total"), type === "counter", name);
    for (const label of labels) {
      assert.match(label, /^[a-z][a-z0-9_]*$/);
      assert.doesNotMatch(label, /user|person|email|slug|canvas|url|path|query|^le$|quantile/);
    }
  }
});
