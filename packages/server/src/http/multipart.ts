import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { MIMEType } from "node:util";
import { Dicer } from "@fastify/busboy";
import { parse } from "content-disposition";
import { bodyAborted } from "./body.ts";
import { Refusal, refuse } from "./refusal.ts";

/** The time within which the next bytes of a body must arrive. */
const IDLE_TIMEOUT_MS = 20_000;

const HEADER_LIMITS = { maxHeaderPairs: 16, maxHeaderSize: 16 * 1024 };

/** A part of a form. Its body must be read before the next part arrives. */
export interface Part {
  name: string;
  /** As the client sent it, so any text. */
  filename: string | undefined;
  contentType: string | undefined;
  body: Readable;
}

const malformed = (why: string) =>
  new Refusal(400, { code: "INVALID_BODY", message: `The body is not valid multipart/form-data: ${why}.` });

const tooSlow = () =>
  new Refusal(408, { code: "INVALID_BODY", message: "The body took too long to arrive." });

/** Returns the boundary between the parts of a body; throws 400 for a body that is no form. */
function boundaryOf({ headers }: IncomingMessage): string {
  try {
    const { essence, params } = new MIMEType(headers["content-type"] ?? "");
    const boundary = params.get("boundary");
    if (essence === "multipart/form-data" && boundary !== null && boundary !== "") return boundary;
  } catch {
    // The type is malformed.
  }
  return refuse("INVALID_BODY", { message: "The body must be multipart/form-data." });
}

/** Parses the header of a part. Its values are bytes, which browsers encode in UTF-8. */
function partOf(header: Record<string, string[] | undefined>, body: Readable): Part {
  const [disposition, contentType] = ["content-disposition", "content-type"].map((name) => {
    const [value] = header[name] ?? [];
    return value === undefined ? undefined : Buffer.from(value, "latin1").toString("utf8");
  });
  const { type, parameters } = parse(disposition ?? "", { multipart: true });
  const { name, filename } = parameters;
  if (type !== "form-data" || name === undefined) throw malformed("a part has no name");
  return { name, filename, contentType, body };
}

/**
 * Reads the parts of a `multipart/form-data` body one after the other, as fast as they are consumed. Throws 400 `INVALID_BODY` for
 * any other body and for one that ends early, and 408 when nothing arrives for 20 s. The rest of a body that is not read to its end
 * is discarded.
 */
export async function* partsOf(request: IncomingMessage): AsyncGenerator<Part> {
  const parser = new Dicer({ boundary: boundaryOf(request), ...HEADER_LIMITS });
  const parts = new Readable({ objectMode: true, read() {} });
  let current: Readable | undefined;

  const fail = (error: Refusal) => {
    current?.destroy(error);
    parts.destroy(error);
  };
  const onHeader = (header: Record<string, string[]>, body: Readable) => {
    try {
      parts.push(partOf(header, body));
      current = body;
    } catch (error) {
      fail(error as Refusal);
    }
  };
  const onClose = () => {
    if (!request.complete) fail(bodyAborted());
  };
  const idle = setTimeout(() => {
    // A request is paused while the service is busy with what has arrived.
    if (request.isPaused()) idle.refresh();
    else fail(tooSlow());
  }, IDLE_TIMEOUT_MS);
  const onData = () => idle.refresh();

  // Its reader gets the error of `parts`, if it still reads.
  parts.on("error", () => {});
  parser.on("part", (part: Readable) => {
    part.on("error", () => fail(malformed("it ends early")));
    part.once("header", (header) => onHeader(header, part));
  });
  parser.on("error", () => fail(malformed("it ends early")));
  parser.once("finish", () => parts.push(null));
  request.on("data", onData).once("close", onClose).pipe(parser);
  try {
    yield* parts as AsyncIterable<Part>;
  } finally {
    clearTimeout(idle);
    request.off("data", onData).off("close", onClose).unpipe(parser);
  }
}
