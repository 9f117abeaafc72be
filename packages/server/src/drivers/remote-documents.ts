import type { Logger } from "pino";
import { type ClientDocument, UnusableDocument } from "../access/client-document.ts";
import { readAll } from "../async/chunks.ts";
import { TaskPool } from "../async/task-pool.ts";
import type { Outbound, OutboundResponse } from "./outbound/outbound.ts";

/** The part of the context with the documents of OAuth clients. */
export interface RemoteDocumentCache {
  clientDocuments: RemoteDocuments<ClientDocument>;
}

const MAX_BYTES = 5 * 1024;
const TIMEOUT_MS = 5_000;
/** How long a document is kept at least and at most, whatever its `Cache-Control` says. */
const LEAST_KEPT_MS = 60_000;
const MOST_KEPT_MS = 24 * 60 * 60_000;
const FAILURE_KEPT_MS = 5 * 60_000;
const MAX_KEPT = 1_000;
/** How many documents are fetched at the same time, in all and for each person, and how many more of a person wait. */
const RUNNING = 100;
const RUNNING_EACH = 2;
const WAITING_EACH = 5;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

interface Kept<Document> {
  until: number;
  outcome: Document | UnusableDocument;
}

/**
 * Fetches small JSON documents from other servers, and keeps them in memory as long as their servers allow, within bounds. Follows no redirects.
 * Requests for the same address at the same time share one fetch.
 */
export class RemoteDocuments<Document extends object> {
  readonly #kept = new Map<string, Kept<Document>>();
  readonly #running = new Map<string, Promise<Kept<Document>>>();
  /** The fetches that have or wait for a place, by person and address. */
  readonly #waiting = new Map<string, Promise<Kept<Document>>>();
  readonly #fetches = new TaskPool({
    running: RUNNING,
    runningEach: RUNNING_EACH,
    waitingEach: WAITING_EACH,
  });
  readonly #read: (bytes: Buffer, address: string) => Document;
  readonly #options: { clock: () => number; log: Pick<Logger, "warn">; timeoutMs?: number };

  /** `read` parses the bytes of a document. It throws `UnusableDocument` if they cannot be used. */
  constructor(
    read: (bytes: Buffer, address: string) => Document,
    options: { clock: () => number; log: Pick<Logger, "warn">; timeoutMs?: number },
  ) {
    this.#read = read;
    this.#options = options;
  }

  /**
   * Returns the document at an address. Throws `UnusableDocument` if it cannot be fetched or used; that is also kept, for five minutes. A
   * fetch takes one of the places of `person`, the id of the caller; one for whom too many wait gets `UnusableDocument`. `admit` is called
   * before a request is sent for this caller, and may throw to prevent it.
   */
  async get(
    address: URL,
    outbound: Outbound,
    { person, admit }: { person: string; admit: () => Promise<void> },
  ): Promise<Document> {
    let found = this.#find(address.href);
    if (found === undefined) {
      await admit();
      // Another caller may have begun meanwhile, and again while this one has waited.
      found = this.#find(address.href) ?? this.#inPlace(person, address, outbound);
    }
    const { outcome } = await found;
    if (outcome instanceof UnusableDocument) throw outcome;
    return outcome;
  }

  /** Fetches a document in a place of a person. A fetch that waits is shared with no other person, who need not wait. */
  #inPlace(person: string, address: URL, outbound: Outbound): Promise<Kept<Document>> {
    const key = `${person} ${address.href}`;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting;
    if (!this.#fetches.hasRoom(person))
      throw new UnusableDocument("Too many programs are being looked up for you; try again in a minute.");
    const fetch = async () => this.#find(address.href) ?? this.#start(address, outbound);
    const added = this.#fetches.run(person, fetch).finally(() => this.#waiting.delete(key));
    this.#waiting.set(key, added);
    return added;
  }

  #find(address: string): Kept<Document> | Promise<Kept<Document>> | undefined {
    const kept = this.#kept.get(address);
    return kept !== undefined && kept.until > this.#options.clock() ? kept : this.#running.get(address);
  }

  #start(address: URL, outbound: Outbound): Promise<Kept<Document>> {
    const running = this.#fetch(address, outbound)
      .catch((error: unknown) => {
        this.#options.log.warn(
          { url: address.href, why: String(error) },
          "the document of a client cannot be used",
        );
        return { until: this.#options.clock() + FAILURE_KEPT_MS, outcome: failureOf(error) };
      })
      .then((kept) => {
        this.#running.delete(address.href);
        this.#keep(address.href, kept);
        return kept;
      });
    this.#running.set(address.href, running);
    return running;
  }

  #keep(address: string, kept: Kept<Document>): void {
    this.#kept.delete(address);
    const [oldest] = this.#kept.size >= MAX_KEPT ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(address, kept);
  }

  async #fetch(address: URL, outbound: Outbound): Promise<Kept<Document>> {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), this.#options.timeoutMs ?? TIMEOUT_MS);
    try {
      const response = await outbound.send(
        {
          origin: address.origin,
          path: address.pathname + address.search,
          method: "GET",
          headers: [
            ["accept", "application/json"],
            ["accept-encoding", "identity"],
            ["user-agent", "Easel"],
          ],
          body: null,
        },
        end.signal,
      );
      try {
        requireDocument(response);
        const outcome = this.#read(await readAll(response.body, MAX_BYTES, refuseLarge), address.href);
        return { until: this.#options.clock() + keptMs(response), outcome };
      } finally {
        response.discard();
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Returns what is kept of a failure. What the network says is for the log only. */
function failureOf(error: unknown): UnusableDocument {
  const what = error instanceof UnusableDocument ? error.message : "Its description cannot be fetched.";
  return new UnusableDocument(`${what} The service looks at it again in five minutes.`);
}

const headerOf = ({ headers }: OutboundResponse, name: string): string => [headers[name]].flat()[0] ?? "";

/** Throws `UnusableDocument` unless the response is a JSON document that is not compressed. */
function requireDocument(response: OutboundResponse): void {
  const { status } = response;
  if (status >= 300 && status < 400)
    throw new UnusableDocument("Its description is at another address, which is not allowed.");
  if (status !== 200)
    throw new UnusableDocument(`Its description cannot be fetched: the server responds with ${status}.`);
  if (!JSON_TYPE.test(headerOf(response, "content-type")))
    throw new UnusableDocument("Its description is no JSON document.");
  if (!["", "identity"].includes(headerOf(response, "content-encoding").toLowerCase()))
    throw new UnusableDocument("Its description is compressed, which was not asked for.");
}

const refuseLarge = (): never => {
  throw new UnusableDocument(`Its description is larger than ${MAX_BYTES} bytes.`);
};

/** Returns how long a document is kept. */
function keptMs(response: OutboundResponse): number {
  const directives = headerOf(response, "cache-control").toLowerCase();
  const seconds = /(?:^|[\s,])no-(?:store|cache)/.test(directives)
    ? 0
    : Number(/(?:^|[\s,])max-age="?(\d{1,9})/.exec(directives)?.[1] ?? 0);
  return Math.min(Math.max(seconds * 1_000, LEAST_KEPT_MS), MOST_KEPT_MS);
}
