import { OWN_PATH } from "./page-hosts.ts";

/** The UTF-8 byte order mark in Latin 1. */
const MARK = "\u00ef\u00bb\u00bf";
const [COMMENT, END_OF_COMMENT] = ["<!--", "-->"];

/** Returns the position after the doctype of a document in Latin 1. If there is none, returns the position after the byte order mark. */
function endOfDoctype(text: string): number {
  const start = text.startsWith(MARK) ? MARK.length : 0;
  const spaceAndDoctype = /\s*(<!doctype[^>]*>)?/iy;
  let at = start;
  for (;;) {
    spaceAndDoctype.lastIndex = at;
    const [space = "", doctype] = spaceAndDoctype.exec(text) ?? [];
    at += space.length;
    if (doctype !== undefined) return at;
    const end = text.startsWith(COMMENT, at) ? text.indexOf(END_OF_COMMENT, at + COMMENT.length) : -1;
    if (end === -1) return start;
    at = end + END_OF_COMMENT.length;
  }
}

/**
 * Inserts the script of `easel dev` into a page, after the doctype and before everything else, so that it catches the page's first error.
 * HTML allows a script there: the browser puts it into the head.
 */
export function injectBar(page: Buffer, nonce: string): Buffer {
  // Latin 1 keeps every byte, whatever the encoding of the page is.
  const at = endOfDoctype(page.toString("latin1"));
  const script = Buffer.from(`<script src="${OWN_PATH}bar.js" nonce="${nonce}"></script>`);
  return Buffer.concat([page.subarray(0, at), script, page.subarray(at)]);
}
