import type { Readable } from "node:stream";
import { Unavailable } from "../../db/db.ts";
import {
  AS_OF_MS,
  type ByteRange,
  type ListedObject,
  type ObjectBody,
  type S3Objects,
} from "./s3-objects.ts";
import { S3Error, type S3Requests, tagOf } from "./s3-requests.ts";
import { ObjectStream } from "./s3-stream.ts";

/** The time before `AS_OF_MS` has passed at which a removal is no longer begun: the request takes time, and clocks differ. */
const MARGIN_MS = 5 * 60_000;

/** Returns whether a response says that the object is missing. Throws for any other 404, such as that of a bucket which is gone. */
function isMissing({ status, text }: { status: number; text: string }): boolean {
  if (status !== 404) return false;
  const error = new S3Error(status, text);
  if (error.code !== "NoSuchKey") throw new Unavailable("the blobs are unavailable", { cause: error });
  return true;
}

/** The objects of a bucket whose names begin with the prefix of the settings, by requests to its server. */
export class S3Bucket implements S3Objects {
  readonly #requests: S3Requests;
  readonly #prefix: string;
  readonly #clock: () => number;

  constructor(requests: S3Requests, prefix: string, clock: () => number = Date.now) {
    this.#requests = requests;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  async put(name: string, body: ObjectBody, unlessThere = false): Promise<boolean> {
    const headers = unlessThere ? { "if-none-match": "*" } : {};
    const { status, text } = await this.#requests.send(
      { method: "PUT", name: this.#prefix + name, headers, body },
      // 409: another request has just written the object, or is about to. 501: the server knows no conditions.
      { expected: unlessThere ? [409, 412, 501] : [] },
    );
    if (status === 501) throw new S3Error(status, text);
    return status < 300;
  }

  async get(name: string, range?: ByteRange): Promise<Readable | null> {
    const request = { method: "GET", name: this.#prefix + name } as const;
    const rangeOf = ({ start, end }: ByteRange) => ({ range: `bytes=${start}-${end}` });
    const stream = new ObjectStream((rest, etag, receiver) =>
      this.#requests.send({ ...request, headers: { ...rangeOf(rest), "if-match": etag } }, { receiver }),
    );
    const headers = range === undefined ? {} : rangeOf(range);
    const response = await this.#requests.send(
      { ...request, headers },
      { expected: [404], receiver: stream },
    );
    return isMissing(response) ? null : stream;
  }

  async copy(from: string, to: string): Promise<boolean> {
    const headers = { "x-amz-copy-source": this.#requests.sourceOf(this.#prefix + from) };
    const request = { method: "PUT", name: this.#prefix + to, headers } as const;
    return !isMissing(await this.#requests.send(request, { expected: [404] }));
  }

  async remove(name: string): Promise<void> {
    const request = { method: "DELETE", name: this.#prefix + name } as const;
    // Some servers say that an object is missing.
    isMissing(await this.#requests.send(request, { expected: [404] }));
  }

  async removeAsOf(name: string, at: number): Promise<void> {
    // Servers refuse old signatures. Some accept them for longer, so a process that was suspended meanwhile does not even send the request.
    if (this.#clock() - at > AS_OF_MS - MARGIN_MS) throw new Unavailable("a removal has taken too long");
    const request = { method: "DELETE", name: this.#prefix + name, at } as const;
    isMissing(await this.#requests.send(request, { expected: [404], once: true }));
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    const all = { "list-type": "2", prefix: this.#prefix + prefix };
    let token = "";
    do {
      const query: Record<string, string> = token === "" ? all : { ...all, "continuation-token": token };
      const { text } = await this.#requests.send({ method: "GET", query });
      for (const entry of text.split("<Contents>").slice(1)) {
        const name = tagOf(entry, "Key").slice(this.#prefix.length);
        yield { name, modified: Date.parse(tagOf(entry, "LastModified")) };
      }
      token = tagOf(text, "IsTruncated") === "true" ? tagOf(text, "NextContinuationToken") : "";
    } while (token !== "");
  }
}
