import { createHmac, hash } from "node:crypto";
import type { S3Keys } from "../../../config/s3-settings.ts";

/** The payload hash of requests without a body. */
export const EMPTY_HASH = hash("sha256", "");

/** What is signed of a request. */
export interface Signable {
  method: string;
  /** The path, encoded as it is sent. */
  path: string;
  /** The query without its question mark, encoded and sorted as it is sent. */
  query: string;
  /** All headers to sign apart from the host and those that the signature adds. Their names are in lower case. */
  headers: Record<string, string>;
  /** The SHA-256 of the body as hexadecimal digits. */
  payload: string;
}

/** Encodes a text for a query as AWS does: all characters but unreserved ones. */
export const encodeQuery = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** Signs requests with AWS Signature Version 4, each over the hash of its body. */
export class Signature {
  readonly #host: string;
  readonly #region: string;
  readonly #service: string;
  /** The key of a day, which is derived from the secret key once. */
  #derived = { secret: "", day: "", key: Buffer.alloc(0) };

  constructor(host: string, region: string, service = "s3") {
    this.#host = host;
    this.#region = region;
    this.#service = service;
  }

  /** Returns the headers of a request with its signature. `at` is the time of the signature in epoch milliseconds. */
  sign(
    { method, path, query, headers, payload }: Signable,
    keys: S3Keys,
    at: number,
  ): Record<string, string> {
    const time = new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");
    const day = time.slice(0, 8);
    const signed: Record<string, string> = {
      ...headers,
      host: this.#host,
      "x-amz-content-sha256": payload,
      "x-amz-date": time,
    };
    if (keys.sessionToken !== undefined) signed["x-amz-security-token"] = keys.sessionToken;
    const names = Object.keys(signed).sort();
    const list = names.join(";");
    const lines = names.map((name) => `${name}:${signed[name]}\n`).join("");
    const request = `${method}\n${path}\n${query}\n${lines}\n${list}\n${payload}`;
    const scope = `${day}/${this.#region}/${this.#service}/aws4_request`;
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash("sha256", request)}`;
    const signature = createHmac("sha256", this.#keyOf(keys.secretAccessKey, day)).update(text).digest("hex");
    signed.authorization = `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${list}, Signature=${signature}`;
    return signed;
  }

  #keyOf(secret: string, day: string): Buffer {
    if (this.#derived.secret !== secret || this.#derived.day !== day) {
      const ofRegion = hmac(hmac(`AWS4${secret}`, day), this.#region);
      this.#derived = { secret, day, key: hmac(hmac(ofRegion, this.#service), "aws4_request") };
    }
    return this.#derived.key;
  }
}
