/** What a bucket has answered: whether the request is allowed, how many remain, how many were refused, and when its window ends. */
type Reply = [allowed: number, remaining: number, refused: number, resetMs: number];

interface Take {
  key: string;
  values: [part: string, limit: number, windowMs: number];
  resolve: (reply: Reply) => void;
  reject: (error: unknown) => void;
}

/** Runs the script for these keys, with the values of each. Returns the replies of all in one list. */
type Run = (keys: string[], values: (string | number)[]) => Promise<unknown>;

/** The maximum number of buckets of one call, which Redis serves without interruption. */
const TAKES_MAX = 64;

/** Takes from buckets. What one turn of the event loop takes is sent as one call: a call costs both sides more than a bucket does. */
export class RedisTakes {
  readonly #run: Run;
  #waiting: Take[] = [];

  constructor(run: Run) {
    this.#run = run;
  }

  take(key: string, ...values: Take["values"]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#send());
      this.#waiting.push({ key, values, resolve, reject });
      if (this.#waiting.length === TAKES_MAX) this.#send();
    });
  }

  #send(): void {
    const takes = this.#waiting;
    if (takes.length === 0) return;
    this.#waiting = [];
    const keys = takes.map(({ key }) => key);
    this.#run(
      keys,
      takes.flatMap(({ values }) => values),
    ).then(
      (replies) => {
        const all = replies as number[];
        for (const [index, { resolve }] of takes.entries())
          resolve(all.slice(4 * index, 4 * index + 4) as Reply);
      },
      (error: unknown) => {
        for (const { reject } of takes) reject(error);
      },
    );
  }
}
