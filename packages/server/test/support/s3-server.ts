import { createHash } from "node:crypto";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { atEnd, type Scope } from "./service.ts";

/** The key that the stand-in accepts. */
export const S3_KEYS = { accessKeyId: "AKIDTEST", secretAccessKey: "the secret key of the tests" };

/** The variables of AWS with this key. */
export const S3_VARIABLES = {
  AWS_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
};

const SKEW_MS = 15 * 60_000;

/** An object. Its time is in epoch milliseconds. */
export interface StoredObject {
  bytes: Buffer;
  etag: string;
  modified: number;
}

/** A request as the stand-in has received it. `name` is that of the object, without the bucket. */
export interface SeenRequest {
  method: string;
  name: string;
  query: URLSearchParams;
  headers: http.IncomingHttpHeaders;
}

/** What goes wrong with a request. */
export type S3Fault =
  /** The server refuses it with a status and a code. */
  | { status: number; code: string }
  /** The connection breaks before the request has any effect. */
  | "drop"
  /** The request takes effect, and the connection breaks before the response. */
  | "lose"
  /** Nothing ever responds. */
  | "hang"
  /** The copy fails after the headers of a success have been sent. */
  | "late error"
  /** The response breaks off after this number of bytes. */
  | { cut: number }
  /** The response waits for this number of milliseconds. */
  | { wait: number };

export interface S3ServerOptions {
  bucket?: string;
  region?: string;
  /** Whether the server knows `If-None-Match`. Others overwrite, or answer 501. */
  conditional?: boolean | "501";
  /** The number of objects in a page of a list. */
  page?: number;
  /** The token that requests must have. */
  sessionToken?: string;
}

/** A refusal, as XML. */
class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly more: string;

  constructor(status: number, code: string, more = "") {
    super(code);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await request.toArray());
}

/**
 * A stand-in for a server of S3 with one bucket. Verifies signatures by a second implementation of them, and the hash of each body. Knows what
 * the driver uses: PUT, GET with ranges, DELETE, copies, and lists in pages.
 */
export class S3Server {
  readonly objects = new Map<string, StoredObject>();
  readonly requests: SeenRequest[] = [];
  /** Is asked before each request whether something goes wrong with it. */
  fault: (request: SeenRequest) => S3Fault | undefined = () => undefined;
  /** The clock of the server, in epoch milliseconds. */
  clock: () => number = Date.now;
  /** What the key may not do, such as `PUT` or `LIST`. */
  readonly denied = new Set<string>();
  /** The number of responses that the client has not read to their end. */
  unread = 0;
  origin = "";
  readonly #options: Required<Omit<S3ServerOptions, "sessionToken">> & { sessionToken: string | undefined };
  readonly #server = http.createServer((request, response) => void this.#handle(request, response));
  readonly #keyCache = new Map<string, ArrayBuffer>();

  constructor({
    bucket = "easel",
    region = "eu-test-1",
    conditional = true,
    page = 1_000,
    sessionToken,
  }: S3ServerOptions) {
    this.#options = { bucket, region, conditional, page, sessionToken };
  }

  /** The value of `SERVICE_BLOBS_URL` for a prefix in the bucket. */
  url(prefix = "", more = ""): string {
    const { bucket, region } = this.#options;
    return `s3://${bucket}/${prefix}?endpoint=${this.origin}&region=${region}&pathStyle=true${more}`;
  }

  async listen(scope: Scope): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    atEnd(scope, () => this.stop());
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The names of all objects, sorted. */
  names(): string[] {
    return [...this.objects.keys()].sort();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.origin);
    const { bucket } = this.#options;
    const host = String(request.headers.host);
    const path = host.startsWith(`${bucket}.`) ? `/${bucket}${url.pathname}` : url.pathname;
    const [, named = "", ...rest] = path.split("/");
    const seen: SeenRequest = {
      method: request.method ?? "",
      name: decodeURIComponent(rest.join("/")),
      query: url.searchParams,
      headers: request.headers,
    };
    this.requests.push(seen);
    response.once("close", () => {
      if (!response.writableFinished) this.unread++;
    });
    const fault = this.fault(seen);
    try {
      if (fault === "hang") return;
      if (fault === "drop") return void request.socket.destroy();
      if (typeof fault === "object" && "wait" in fault) await sleep(fault.wait);
      if (typeof fault === "object" && "status" in fault) throw new Refused(fault.status, fault.code);
      const body = await bytesOf(request);
      await this.#verify(seen, `http://${host}${request.url}`, body);
      if (named !== bucket) throw new Refused(404, "NoSuchBucket");
      const answer = this.#answer(seen, body, fault === "late error");
      if (fault === "lose") return void request.socket.destroy();
      response.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length });
      if (typeof fault !== "object" || !("cut" in fault)) return void response.end(answer.body);
      response.write(answer.body.subarray(0, fault.cut), () => setTimeout(() => response.destroy(), 5));
    } catch (error) {
      if (!(error instanceof Refused)) return void response.destroy(error as Error);
      const { status, code, more } = error;
      const xml = `<Error><Code>${code}</Code><Message>refused &amp; explained</Message>${more}</Error>`;
      response.writeHead(status, { "content-type": "application/xml", connection: "close" }).end(xml);
    }
  }

  /** Throws unless the request has been signed with the key, lately, over all that matters, and over this body. */
  async #verify({ method, headers }: SeenRequest, url: string, body: Buffer): Promise<void> {
    const { region, sessionToken } = this.#options;
    const [, id, day, signedRegion, list = ""] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=[0-9a-f]{64}$/.exec(
        headers.authorization ?? "",
      ) ?? [];
    if (id !== S3_KEYS.accessKeyId) throw new Refused(403, "InvalidAccessKeyId");
    if (signedRegion !== region)
      throw new Refused(400, "AuthorizationHeaderMalformed", `<Region>${region}</Region>`);
    const datetime = String(headers["x-amz-date"]);
    const time = Date.parse(datetime.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5"));
    if (day !== datetime.slice(0, 8) || !(Math.abs(this.clock() - time) <= SKEW_MS))
      throw new Refused(403, "RequestTimeTooSkewed");
    if (headers["x-amz-security-token"] !== sessionToken) throw new Refused(400, "InvalidToken");
    const names = list.split(";");
    const unsigned = Object.keys(headers).filter(
      (name) => /^(host|range|if-|x-amz-)/.test(name) && !names.includes(name),
    );
    const signer = new AwsV4Signer({
      ...S3_KEYS,
      ...(sessionToken !== undefined && { sessionToken }),
      method,
      url,
      headers: Object.fromEntries(
        names.filter((name) => name !== "host").map((name) => [name, String(headers[name])]),
      ),
      service: "s3",
      region,
      datetime,
      allHeaders: true,
      cache: this.#keyCache,
    });
    if (unsigned.length > 0 || (await signer.authHeader()) !== headers.authorization)
      throw new Refused(403, "SignatureDoesNotMatch");
    if (createHash("sha256").update(body).digest("hex") !== headers["x-amz-content-sha256"])
      throw new Refused(400, "XAmzContentSHA256Mismatch");
  }

  #answer(request: SeenRequest, body: Buffer, failsLate: boolean) {
    const { method, name, headers } = request;
    const kind = name === "" ? "LIST" : headers["x-amz-copy-source"] === undefined ? method : "COPY";
    if (this.denied.has(kind)) throw new Refused(403, "AccessDenied");
    if (kind === "LIST") return this.#list(request.query);
    if (kind === "PUT") return this.#put(name, body, headers["if-none-match"]);
    if (kind === "COPY") return this.#copy(name, String(headers["x-amz-copy-source"]), failsLate);
    if (kind === "GET") return this.#get(name, headers);
    if (kind !== "DELETE") throw new Refused(405, "MethodNotAllowed");
    this.objects.delete(name);
    return { status: 204, headers: {}, body: Buffer.alloc(0) };
  }

  #put(name: string, bytes: Buffer, condition: string | undefined) {
    const { conditional } = this.#options;
    if (condition !== undefined && conditional === "501") throw new Refused(501, "NotImplemented");
    if (condition === "*" && conditional === true && this.objects.has(name))
      throw new Refused(412, "PreconditionFailed");
    const etag = `"${createHash("md5").update(bytes).digest("hex")}"`;
    this.objects.set(name, { bytes, etag, modified: this.clock() });
    return { status: 200, headers: { etag }, body: Buffer.alloc(0) };
  }

  #copy(name: string, source: string, failsLate: boolean) {
    const { bucket } = this.#options;
    const from = this.objects.get(decodeURIComponent(source).slice(`/${bucket}/`.length));
    if (from === undefined) throw new Refused(404, "NoSuchKey");
    if (failsLate)
      return { status: 200, headers: {}, body: Buffer.from("<Error><Code>InternalError</Code></Error>") };
    this.objects.set(name, { ...from, modified: this.clock() });
    return {
      status: 200,
      headers: {},
      body: Buffer.from(`<CopyObjectResult><ETag>${from.etag}</ETag></CopyObjectResult>`),
    };
  }

  #get(name: string, headers: http.IncomingHttpHeaders) {
    const found = this.objects.get(name);
    if (found === undefined) throw new Refused(404, "NoSuchKey");
    const { bytes, etag } = found;
    if (headers["if-match"] !== undefined && headers["if-match"] !== etag)
      throw new Refused(412, "PreconditionFailed");
    const [, from = "", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    if (headers.range === undefined) return { status: 200, headers: { etag }, body: bytes };
    if (Number(from) >= bytes.length) throw new Refused(416, "InvalidRange");
    const end = Math.min(Number(to), bytes.length - 1);
    const range = { "content-range": `bytes ${from}-${end}/${bytes.length}` };
    return { status: 206, headers: { etag, ...range }, body: bytes.subarray(Number(from), end + 1) };
  }

  #list(query: URLSearchParams) {
    const { page } = this.#options;
    const prefix = query.get("prefix") ?? "";
    const token = query.get("continuation-token");
    const after = token === null ? "" : Buffer.from(token, "base64").toString();
    const names = this.names().filter((name) => name.startsWith(prefix) && name > after);
    const shown = names.slice(0, page);
    const last = Buffer.from(shown.at(-1) ?? "").toString("base64");
    const entries = shown.map((name) => {
      const modified = new Date(this.objects.get(name)?.modified ?? 0).toISOString();
      return `<Contents><Key>${escaped(name)}</Key><LastModified>${modified}</LastModified></Contents>`;
    });
    const more = names.length > shown.length;
    const xml = `<ListBucketResult><IsTruncated>${more}</IsTruncated>${more ? `<NextContinuationToken>${escaped(last)}</NextContinuationToken>` : ""}${entries.join("")}</ListBucketResult>`;
    return { status: 200, headers: {}, body: Buffer.from(xml) };
  }
}

/** Starts a stand-in on a free loopback port, which stops when the scope ends. */
export async function startS3(scope: Scope, options: S3ServerOptions = {}): Promise<S3Server> {
  const server = new S3Server(options);
  await server.listen(scope);
  return server;
}
