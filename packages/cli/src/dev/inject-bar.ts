import { OWN_PATH } from "./page-hosts.ts";

/** Matches the start of a document in Latin 1: the UTF-8 byte order mark, white space, comments and the doctype. All are optional. */
const START = /^(?:\u00ef\u00bb\u00bf)?(?:(?:\s|<!--[\s\S]*?-->)*<!doctype[^>]*>)?/i;

/**
 * Inserts the script of `easel dev` into a page, after the doctype and before everything else, so that it catches the page's first error.
 * HTML allows a script there: the browser puts it into the head.
 */
export function injectBar(page: Buffer, nonce: string): Buffer {
  // Latin 1 keeps every byte, whatever the encoding of the page is.
  const at = START.exec(page.toString("latin1"))?.[0].length ?? 0;
  const script = Buffer.from(`<script src="${OWN_PATH}bar.js" nonce="${nonce}"></script>`);
  return Buffer.concat([page.subarray(0, at), script, page.subarray(at)]);
}
