import { setTimeout as sleep } from "node:timers/promises";
import { type Dispatcher, Pool } from "undici";
import type { S3Settings } from "../../../config/s3-settings.ts";
import { Unavailable } from "../../db/db.ts";
import type { KeySource } from "./s3-credentials.ts";
import type { ObjectBody } from "./s3-objects.ts";
import { EMPTY_HASH, encodeQuery, Signature } from "./s3-signature.ts";

/** A response that is no success. */
export class S3Error extends Error {
  readonly status: number;
  /** The code of the server, such as `NoSuchKey`; empty if the response has none. */
  readonly code: string;
  /** The region in which the bucket is, if the server says so. */
  readonly region: string | undefined;

  constructor(status: number, text: string, headers: Headers = {}) {
    const code = tagOf(text, "Code");
    super(`S3 answers ${status} ${code}: ${tagOf(text, "Message")}`);
    this.status = status;
    this.code = code;
    this.region = headers["x-amz-bucket-region"] || tagOf(text, "Region") || undefined;
  }
}

/** Thrown by a write for which the server has no space. Has the error code of a full disk. */
class NoSpace extends Error {
  readonly code = "ENOSPC";
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Returns the text in the first XML element with a name, or an empty one. */
export function tagOf(xml: string, name: string): string {
  const from = xml.indexOf(`<${name}>`) + name.length + 2;
  const to = xml.indexOf(`</${name}>`, from);
  if (from < name.length + 2 || to < 0) return "";
  return xml.slice(from, to).replace(/&(lt|gt|amp|quot|apos);/g, (_, each: string) => ENTITIES[each] ?? "");
}

type Headers = Record<string, string | undefined>;

/** Timeouts in milliseconds. */
export interface S3Times {
  /** Until a connection is made. */
  connect: number;
  /** Until the first byte of an object has arrived, with all attempts. */
  firstByte: number;
  /** Without progress of a request or of a response. */
  stall: number;
  /** The waits before a request is sent again. */
  retries: number[];
}

export const S3_TIMES: S3Times = {
  connect: 5_000,
  firstByte: 5_000,
  stall: 20_000,
  retries: [100, 400, 1_600],
};

/** A request. */
export interface S3Request {
  method: "GET" | "PUT" | "DELETE";
  /** The name of the object, with the prefix of the settings; none for the bucket itself. */
  name?: string;
  query?: Record<string, string>;
  /** Headers that are signed. Their names are in lower case. */
  headers?: Record<string, string>;
  body?: ObjectBody;
  /** The time of the signature in epoch milliseconds. Now by default. */
  at?: number;
}

/** A response whose body has been read. */
export interface S3Response {
  status: number;
  headers: Headers;
  text: string;
}

/** Takes the body of a successful response while it arrives. */
export interface Receiver {
  /** Called with the status, the headers, and what controls the body. */
  start(status: number, headers: Headers, controller: Dispatcher.DispatchController): void;
  data(chunk: Buffer): void;
  end(): void;
  /** The body has broken off. Not called before `start`. */
  fail(error: Error): void;
}

/** A request that is under way. The receiver gets the body of a success; the body of any other response is collected. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #answer = Promise.withResolvers<S3Response>();
  readonly #receiver: Receiver | null;
  #controller: Dispatcher.DispatchController | null = null;
  #aborted: Error | null = null;
  #isReceived = false;
  #response: S3Response = { status: 0, headers: {}, text: "" };
  readonly #chunks: Buffer[] = [];

  constructor(receiver: Receiver | null) {
    this.#receiver = receiver;
  }

  /** Resolves with the response as soon as the receiver has its body. Otherwise when the body has been read. */
  get answer(): Promise<S3Response> {
    return this.#answer.promise;
  }

  abort(reason: Error): void {
    this.#aborted = reason;
    this.#answer.reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted !== null) controller.abort(this.#aborted);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: unknown): void {
    this.#response = { status, headers: headers as Headers, text: "" };
    if (this.#receiver === null || status >= 300 || status < 200) return;
    this.#isReceived = true;
    this.#receiver.start(status, this.#response.headers, controller);
    this.#answer.resolve(this.#response);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isReceived) this.#receiver?.data(chunk);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#isReceived) return void this.#receiver?.end();
    this.#response.text = Buffer.concat(this.#chunks).toString();
    this.#answer.resolve(this.#response);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#isReceived) this.#receiver?.fail(error);
    else this.#answer.reject(error);
  }
}

/** The codes of connections that were lost or refused. A timeout is not among them, so that a dead server delays a request once. */
const LOST = /^(UND_ERR_SOCKET|ECONNRESET|ECONNREFUSED|EPIPE|EAI_AGAIN)$/;
/** The statuses after which a request is sent again: of an overloaded or failing server, never of one that has refused the request. */
const PASSING = [429, 500, 502, 503];

const codeOf = (error: unknown) => String((error as { code?: unknown }).code ?? "");
const mayPass = (error: unknown) =>
  error instanceof S3Error ? PASSING.includes(error.status) : LOST.test(codeOf(error));

/** Sends signed requests to one bucket. */
export class S3Requests {
  readonly #settings: S3Settings;
  readonly #keys: KeySource;
  readonly #times: S3Times;
  readonly #pool: Pool;
  readonly #signature: Signature;
  /** The path of the bucket, which ends with a slash. */
  readonly #root: string;

  constructor(settings: S3Settings, keys: KeySource, times: S3Times = S3_TIMES) {
    const { protocol, host, pathname } = new URL(settings.endpoint);
    const address = settings.pathStyle ? host : `${settings.bucket}.${host}`;
    this.#settings = settings;
    this.#keys = keys;
    this.#times = times;
    const path = pathname === "/" ? "" : pathname;
    this.#root = settings.pathStyle ? `${path}/${settings.bucket}/` : `${path}/`;
    this.#signature = new Signature(address, settings.region);
    this.#pool = new Pool(`${protocol}//${address}`, {
      allowH2: false,
      connectTimeout: times.connect,
      headersTimeout: times.stall,
      bodyTimeout: times.stall,
    });
  }

  /** The name of an object as the header `x-amz-copy-source` has it. */
  sourceOf(name: string): string {
    return `/${this.#settings.bucket}/${name}`;
  }

  /**
   * Sends a request, again after a passing failure unless it may be sent `once` only. Resolves with a response whose status is below 300 or
   * among `expected`. With a receiver, its first byte must arrive in time. @throws Unavailable for any other, and if there is none.
   */
  async send(
    request: S3Request,
    {
      expected = [],
      once = false,
      receiver = null,
    }: { expected?: number[]; once?: boolean; receiver?: Receiver | null } = {},
  ): Promise<S3Response> {
    const { retries, firstByte } = this.#times;
    const late = new AbortController();
    const timer = receiver === null ? undefined : setTimeout(() => late.abort(), firstByte);
    try {
      for (let sent = 0; ; sent++) {
        try {
          return await this.#sendOnce(request, expected, receiver, late.signal);
        } catch (error) {
          const wait = once || late.signal.aborted || !mayPass(error) ? undefined : retries[sent];
          if (wait === undefined) throw error;
          await sleep(wait * (0.5 + Math.random() / 2), undefined, { signal: late.signal });
        }
      }
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      if (error instanceof S3Error && (error.status === 507 || error.code === "QuotaExceeded"))
        throw new NoSpace(error.message);
      const cause = late.signal.aborted ? new Error(`no byte within ${firstByte} ms`) : error;
      throw new Unavailable("the blobs are unavailable", { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  async #sendOnce(
    { method, name = "", query = {}, headers = {}, body, at = Date.now() }: S3Request,
    expected: number[],
    receiver: Receiver | null,
    late: AbortSignal,
  ): Promise<S3Response> {
    const given = this.#keys();
    const keys = given instanceof Promise ? await given : given;
    const path = this.#root + name;
    const search = Object.keys(query)
      .sort()
      .map((each) => `${each}=${encodeQuery(query[each] ?? "")}`)
      .join("&");
    const signed = this.#signature.sign(
      { method, path, query: search, headers, payload: body?.hash ?? EMPTY_HASH },
      keys,
      at,
    );
    if (body !== undefined) signed["content-type"] = "application/octet-stream";
    if (method === "PUT") signed["content-length"] = String(body?.size ?? 0);
    const exchange = new Exchange(receiver);
    const abort = () => exchange.abort(new Error("late"));
    if (receiver !== null) late.addEventListener("abort", abort);
    try {
      const opened = body?.open() ?? null;
      this.#pool.dispatch(
        {
          method,
          path: search === "" ? path : `${path}?${search}`,
          headers: signed,
          body: opened as Buffer | null,
        },
        exchange,
      );
      const response = await exchange.answer;
      if (response.status >= 300 && !expected.includes(response.status))
        throw new S3Error(response.status, response.text, response.headers);
      // A copy that fails may have begun its response as a success.
      if (response.text.includes("<Error>") && response.status < 300) throw new S3Error(500, response.text);
      return response;
    } finally {
      if (receiver !== null) late.removeEventListener("abort", abort);
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
