import type { IncomingHttpHeaders } from "node:http";
import { refuse } from "./refusal.ts";

/** A part of a list of entity tags: a tag, a number without quotes, or what separates them. */
const PART = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"|(\d+)|,|[ \t]+/y;

/**
 * Returns the function that says whether the header `If-Match` names what has a given entity tag. Returns null if there is no such header,
 * or if it is `*`, which names whatever exists. A weak tag names nothing (RFC 9110, 13.1.1). A number need not be in quotes, because clients
 * forget them. Throws 400 `INVALID_BODY` if the header is no list of tags: a write must not ignore a precondition that it cannot read.
 */
export function ifMatch({ "if-match": given }: IncomingHttpHeaders): ((tag: string) => boolean) | null {
  if (given === undefined || given.trim() === "*") return null;
  const tags: (string | null)[] = [];
  let isSeparated = true;
  PART.lastIndex = 0;
  while (PART.lastIndex < given.length) {
    const found = PART.exec(given) ?? refuseUnreadable();
    const [part, weak, quoted, number] = found;
    const tag = quoted ?? number;
    if (part === ",") isSeparated = true;
    if (tag === undefined) continue;
    if (!isSeparated) refuseUnreadable();
    tags.push(weak === undefined ? tag : null);
    isSeparated = false;
  }
  if (tags.length === 0) refuseUnreadable();
  return (tag) => tags.includes(tag);
}

const refuseUnreadable = (): never =>
  refuse("INVALID_BODY", {
    message:
      'The header `If-Match` must be the `updatedAt` of the record in double quotes, such as `"1767225600000"`.',
  });
