import { LIMITS } from "@easel/protocol/limits";
import { parse } from "content-disposition";
import { Refusal, refuse } from "./refusal.ts";
import { parseMediaType } from "./request-headers.ts";

const CR = 0x0d;

/**
 * Reads a stream of bytes up to a delimiter, such as a multipart boundary, and returns the bytes in pieces. The delimiter must begin with
 * CR. Does not buffer more than one chunk of the stream and the beginning of a delimiter.
 */
class Delimited {
  readonly #source: AsyncGenerator<Buffer>;
  readonly #endedEarly: () => Error;
  #rest: Buffer;

  /** Reads the bytes in `first` before those of `source`. `endedEarly` creates the error to throw if `source` ends before a delimiter. */
  constructor(source: AsyncGenerator<Buffer>, first: Buffer, endedEarly: () => Error) {
    this.#source = source;
    this.#rest = first;
    this.#endedEarly = endedEarly;
  }

  /** Returns some of the bytes before the delimiter, at least one. If the delimiter comes next, skips it and returns null. */
  async before(delimiter: Buffer): Promise<Buffer | null> {
    for (;;) {
      const at = this.#rest.indexOf(delimiter);
      if (at === 0) {
        this.#take(delimiter.length);
        return null;
      }
      const end = at === -1 ? this.#endWithout(delimiter) : at;
      if (end > 0) return this.#take(end);
      await this.#fetch();
    }
  }

  /** Returns all bytes before the delimiter, and skips the delimiter. Returns null if there are more than `limit` bytes. */
  async upTo(delimiter: Buffer, limit: number): Promise<Buffer | null> {
    const pieces: Buffer[] = [];
    let size = 0;
    for (let piece = await this.before(delimiter); piece !== null; piece = await this.before(delimiter)) {
      size += piece.length;
      if (size > limit) return null;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  /** Skips the next bytes if they equal `bytes`. Returns whether they do. */
  async skip(bytes: Buffer): Promise<boolean> {
    while (this.#rest.length < bytes.length) await this.#fetch();
    const found = this.#rest.subarray(0, bytes.length).equals(bytes);
    if (found) this.#take(bytes.length);
    return found;
  }

  /** Skips the rest of the stream and returns true. Returns false as soon as the rest turns out to be longer than `limit` bytes. */
  async skipRest(limit: number): Promise<boolean> {
    let size = this.#rest.length;
    for await (const { length } of this.#source) {
      size += length;
      if (size > limit) return false;
    }
    return size <= limit;
  }

  async #fetch(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (done) throw this.#endedEarly();
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** Returns how many bytes at the start of the buffer cannot be part of a delimiter. The buffer must not contain a whole delimiter. */
  #endWithout(delimiter: Buffer): number {
    const start = this.#rest.indexOf(CR, Math.max(0, this.#rest.length - delimiter.length + 1));
    return start === -1 ? this.#rest.length : start;
  }
}

/** The maximum number of characters of a boundary (RFC 2046). */
const MAX_BOUNDARY_LENGTH = 70;
/** The maximum number of bytes before the first part, and of bytes after the last part. */
const MAX_OVERHEAD = 64 * 1024;

const CRLF = Buffer.from("\r\n");
const HEADER_END = Buffer.from("\r\n\r\n");
const DASHES = Buffer.from("--");
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const NOT_IN_VALUE = /[\r\n\0]/;

/** The bytes of a form, and its media type. */
interface FormSource {
  readonly type: string | undefined;
  stream(): AsyncGenerator<Buffer>;
}

/** A part of a form. */
export interface Part {
  name: string;
  /** The file name as the client sent it, not sanitized. */
  filename: string | undefined;
  contentType: string | undefined;
  /** The bytes of the part. Reading the next part skips the bytes that have not been read. */
  body: AsyncIterable<Buffer>;
}

const malformed = (why: string) =>
  new Refusal(400, { code: "INVALID_BODY", message: `The body is not valid multipart/form-data: ${why}.` });

/**
 * Returns the boundary that a media type declares. Throws 400 `INVALID_BODY` if the type is not `multipart/form-data` or has no valid
 * boundary.
 */
function boundaryOf(contentType: string | undefined): string {
  const type = parseMediaType(contentType);
  const boundary = type?.params.get("boundary") ?? "";
  const isForm = type?.essence === "multipart/form-data";
  if (isForm && boundary !== "" && boundary.length <= MAX_BOUNDARY_LENGTH) return boundary;
  return refuse("INVALID_BODY", {
    message: `The body must be multipart/form-data with a boundary of at most ${MAX_BOUNDARY_LENGTH} characters.`,
  });
}

/** Splits a line of a header into its name, in lower case, and its value. Throws 400 `INVALID_BODY` if the line is malformed. */
function parseLine(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  const [name, value] = [line.slice(0, Math.max(0, colon)), line.slice(colon + 1)];
  if (!HEADER_NAME.test(name) || NOT_IN_VALUE.test(value)) throw malformed("a header of a part is malformed");
  return [name.toLowerCase(), value.trimStart()];
}

/** Parses the header of a part: the bytes between a boundary and the body. Browsers encode it in UTF-8. */
function parseHeader(block: Buffer): Omit<Part, "body"> {
  const [padding = "", ...lines] = block
    .toString("utf8")
    .replace(/\r\n(?=[ \t])/g, "")
    .split("\r\n");
  if (!/^[ \t]*$/.test(padding)) throw malformed("a boundary is followed by other characters");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [name, value] = parseLine(line);
    if (!headers.has(name)) headers.set(name, value);
  }
  const { type, parameters } = parse(headers.get("content-disposition") ?? "", { multipart: true });
  const { name, filename } = parameters;
  if (type !== "form-data" || name === undefined) throw malformed("a part has no name");
  return { name, filename, contentType: headers.get("content-type") };
}

/**
 * Reads the parts of a `multipart/form-data` body one after the other, no faster than the caller consumes them (decision 028). Skips the
 * unread rest of a part. Throws 400 `INVALID_BODY` if the body is malformed or ends early, and 408 if no bytes arrive for 20 s.
 */
export async function* partsOf(body: FormSource): AsyncGenerator<Part> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(body.type)}`, "latin1");
  const source = body.stream();
  // Reads CRLF before the body, because the first boundary may be at the start of the body, without the CRLF of the delimiter.
  const bytes = new Delimited(source, CRLF, () => malformed("it ends early"));
  try {
    if ((await bytes.upTo(delimiter, MAX_OVERHEAD)) === null) throw malformed("it begins with no boundary");
    while (!(await bytes.skip(DASHES))) {
      const block = await bytes.upTo(HEADER_END, LIMITS.partHeaderBytes.value);
      if (block === null) throw malformed("the header of a part is too long");
      const header = parseHeader(block);
      let isOver = false;
      const body = async function* () {
        while (!isOver) {
          const piece = await bytes.before(delimiter);
          if (piece === null) isOver = true;
          else yield piece;
        }
      };
      yield { ...header, body: body() };
      for await (const _ of body());
    }
    if (!(await bytes.skipRest(MAX_OVERHEAD))) throw malformed("too much follows its last part");
  } finally {
    await source.return(undefined);
  }
}
