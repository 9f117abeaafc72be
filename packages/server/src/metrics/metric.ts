/** The value of a label. Numbers are written as they are. */
type LabelValue = string | number;

/** One value for each label of a metric. */
type ValuesOf<Labels extends readonly string[]> = { [Index in keyof Labels]: LabelValue };

/** The positions of the series of a metric, by the values of its labels, one level for each label. */
type Positions = Map<LabelValue, Positions | number>;

/**
 * The maximum number of series of a metric. Further values of labels count in one series whose labels all have the value `other`, so that no
 * fault in what feeds a metric takes memory without end.
 */
const MAX_SERIES = 5_000;
const OTHER = "other";

/** Returns a number as the text format writes it. */
const numberText = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);

const escapedHelp = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapedValue = (value: LabelValue) => escapedHelp(String(value).toWellFormed()).replaceAll('"', '\\"');

/** Returns labels as the text format writes them, or an empty text if there are none. */
function labelsText(pairs: readonly (readonly [name: string, value: LabelValue])[]): string {
  const texts = pairs.map(([name, value]) => `${name}="${escapedValue(value)}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

/**
 * A metric: for each combination of values of its labels a series, which is a row of numbers. To count costs tens of nanoseconds: one look-up
 * for each label, and nothing is allocated once a series exists.
 */
export abstract class Metric<Labels extends readonly string[] = readonly string[]> {
  abstract readonly type: "counter" | "gauge" | "histogram";
  readonly name: string;
  /** What the metric counts or measures, as a sentence. */
  readonly help: string;
  readonly labels: Labels;
  /** How many numbers a series has. */
  readonly #width: number;
  readonly #positions: Positions = new Map();
  readonly #series: LabelValue[][] = [];
  protected cells: Float64Array;

  constructor(name: string, help: string, labels: Labels, width: number) {
    this.name = name;
    this.help = help;
    this.labels = labels;
    this.#width = width;
    this.cells = new Float64Array(width);
  }

  /** Returns where the numbers of a series begin in `cells`. */
  protected at(values: ValuesOf<Labels>): number {
    const { length } = values;
    if (length === 0) return this.#series.length === 0 ? this.#add([]) : 0;
    let positions = this.#positions;
    for (let index = 0; index < length - 1; index++) {
      const next = positions.get(values[index] as LabelValue);
      if (next === undefined) return this.#add(values);
      positions = next as Positions;
    }
    return (positions.get(values[length - 1] as LabelValue) as number | undefined) ?? this.#add(values);
  }

  /** Adds a series, whose numbers are 0. */
  #add(given: readonly LabelValue[]): number {
    const isFull = this.#series.length >= MAX_SERIES && given.some((value) => value !== OTHER);
    if (isFull) return this.at(given.map(() => OTHER) as unknown as ValuesOf<Labels>);
    const position = this.#series.length * this.#width;
    let positions = this.#positions;
    for (const value of given.slice(0, -1)) {
      const next = (positions.get(value) as Positions | undefined) ?? new Map();
      positions.set(value, next);
      positions = next;
    }
    const last = given.at(-1);
    if (last !== undefined) positions.set(last, position);
    this.#series.push([...given]);
    if (position + this.#width > this.cells.length) {
      const longer = new Float64Array(2 * this.cells.length);
      longer.set(this.cells);
      this.cells = longer;
    }
    return position;
  }

  /** Forgets every series. */
  clear(): void {
    this.#positions.clear();
    this.#series.length = 0;
    this.cells.fill(0);
  }

  /** Returns the metric in the text format of Prometheus, or an empty text while it has no series. */
  text(): string {
    if (this.#series.length === 0) return "";
    const lines = this.#series.flatMap((values, index) => {
      const pairs = this.labels.map((label, each) => [label, values[each] as LabelValue] as const);
      return this.samples(index * this.#width, pairs).map(
        ([suffix, more, value]) =>
          `${this.name}${suffix}${labelsText([...pairs, ...more])} ${numberText(value)}\n`,
      );
    });
    return `# HELP ${this.name} ${escapedHelp(this.help)}\n# TYPE ${this.name} ${this.type}\n${lines.join("")}`;
  }

  /** Returns the samples of a series: what is added to the name, labels in addition to those of the series, and the value. */
  protected samples(position: number, _pairs: unknown): Sample[] {
    return [["", [], this.cells[position] as number]];
  }
}

type Sample = [suffix: string, labels: (readonly [name: string, value: LabelValue])[], value: number];

/** Only grows. The name ends with `_total`. */
export class Counter<const Labels extends readonly string[] = []> extends Metric<Labels> {
  readonly type = "counter";

  /** `labels` are the names of the labels. */
  constructor(name: string, help: string, labels: Labels) {
    super(name, help, labels, 1);
  }

  add(by: number, ...values: ValuesOf<Labels>): void {
    const position = this.at(values);
    this.cells[position] = (this.cells[position] as number) + by;
  }

  /** Sets a sum that something else has counted. */
  set(sum: number, ...values: ValuesOf<Labels>): void {
    const position = this.at(values);
    this.cells[position] = sum;
  }
}

/** A value that goes up and down. */
export class Gauge<const Labels extends readonly string[] = []> extends Metric<Labels> {
  readonly type = "gauge";

  constructor(name: string, help: string, labels: Labels) {
    super(name, help, labels, 1);
  }

  add(by: number, ...values: ValuesOf<Labels>): void {
    const position = this.at(values);
    this.cells[position] = (this.cells[position] as number) + by;
  }

  set(value: number, ...values: ValuesOf<Labels>): void {
    const position = this.at(values);
    this.cells[position] = value;
  }
}

/** How often values were at most as large as each of some bounds, and the sum of all. */
export class Histogram<const Labels extends readonly string[] = []> extends Metric<Labels> {
  readonly type = "histogram";
  readonly #bounds: readonly number[];

  /** `bounds` are the upper bounds, in ascending order. */
  constructor(name: string, help: string, labels: Labels, bounds: readonly number[]) {
    // For each bound a number, then that of larger values, and the sum.
    super(name, help, labels, bounds.length + 2);
    this.#bounds = bounds;
  }

  observe(value: number, ...values: ValuesOf<Labels>): void {
    const position = this.at(values);
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index++;
    const sum = position + bounds.length + 1;
    this.cells[position + index] = (this.cells[position + index] as number) + 1;
    this.cells[sum] = (this.cells[sum] as number) + value;
  }

  protected override samples(position: number): Sample[] {
    let count = 0;
    const buckets = [...this.#bounds, Number.POSITIVE_INFINITY].map((bound, index): Sample => {
      count += this.cells[position + index] as number;
      return ["_bucket", [["le", numberText(bound)]], count];
    });
    const sum = this.cells[position + this.#bounds.length + 1] as number;
    return [...buckets, ["_sum", [], sum], ["_count", [], count]];
  }
}
