import { isMissing } from "@easel/server";
import { clean } from "../terminal/clean.ts";

/** The time after a printed line during which repetitions of the line are counted and not printed. */
const COUNTING_MS = 2_000;
/** The maximum number of different lines that are counted at the same time. Further lines are dropped. */
const MAX_LINES = 200;
const MAX_LENGTH = 500;

/** The fields of an error response of the runtime API. */
interface ErrorBody {
  code?: unknown;
  message?: unknown;
  error?: unknown;
  hint?: unknown;
}

/** A refused or failed call of a page. `path` follows `/v1/c/{slug}`. */
interface FailedCall {
  method: string;
  path: string;
  status: number;
}

function parseBody(body: string): ErrorBody {
  try {
    return (JSON.parse(body) as ErrorBody | null) ?? {};
  } catch {
    // The response is not JSON: only its status is known.
    return {};
  }
}

/** Prints the errors of pages, one line each. Counts a line that is repeated within `COUNTING_MS`, and prints the count afterwards. */
export class Report {
  readonly #print;
  readonly #counting = new Map<string, { more: number; timer: NodeJS.Timeout }>();
  #isClosed = false;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  add(given: string): void {
    if (this.#isClosed) return;
    const line = clean(given).slice(0, MAX_LENGTH);
    const known = this.#counting.get(line);
    if (known !== undefined) return void known.more++;
    if (this.#counting.size >= MAX_LINES) return;
    this.#counting.set(line, { more: 0, timer: setTimeout(() => this.#end(line), COUNTING_MS).unref() });
    this.#print(line);
  }

  /**
   * Adds a refused or failed call, unless it has read a key that does not exist. `body` is that of the response; `person` is the name of the
   * caller, or null if nobody is signed in.
   */
  addCall({ method, path, status }: FailedCall, body: string, person: string | null): void {
    const error = parseBody(body);
    if (isMissing(method, path, error.code)) return;
    const code = typeof error.code === "string" ? ` ${error.code}` : "";
    // The hint says what the message says, and what to do about it.
    const text = error.hint ?? error.message ?? error.error;
    const said = typeof text === "string" ? `: ${text}` : "";
    this.add(`${method} ${path} ${status}${code} (${person ?? "signed out"})${said}`);
  }

  /** Prints the counts that are not printed yet. Later lines are dropped, because every call fails when the service stops. */
  close(): void {
    this.#isClosed = true;
    for (const line of [...this.#counting.keys()]) this.#end(line);
  }

  #end(line: string): void {
    const known = this.#counting.get(line);
    this.#counting.delete(line);
    if (known === undefined) return;
    clearTimeout(known.timer);
    if (known.more > 0) this.#print(`${line} (${known.more} more)`);
  }
}
