import { type Html, html } from "../http/html.ts";

/** Returns the address of a link in a page of the documentation, or null if the service does not have its target. */
export type Resolve = (link: string) => string | null;

/** A part of a line: plain text or code, or a mark around further parts. `link` has the target as it is written. */
type Part =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong"; parts: Part[] }
  | { kind: "em"; parts: Part[] }
  | { kind: "link"; to: string; parts: Part[] };

/** Matches what can begin a mark: code, a link, a picture, an address in angle brackets, bold and emphasized text. */
const OPENING = /`+|!?\[|<https?:|\*\*?/g;

/** Matches code, to find brackets outside of it. */
const CODE = /`[^`]*`/g;

/** The mark that begins at a place of a line, and where the text goes on after it. A picture has no part. */
interface Mark {
  part: Part | null;
  end: number;
}

/** Reads the mark that begins at `at` with `opening`. Returns null if it is not closed, so that it is plain text. */
function markAt(text: string, opening: string, at: number): Mark | null {
  const start = at + opening.length;
  const closing = opening.endsWith("[") ? "](" : opening.startsWith("<") ? ">" : opening;
  const close = text.indexOf(closing, start);
  if (close <= start) return null;
  const inner = text.slice(start, close);
  const end = close + closing.length;
  if (opening.startsWith("`")) return { part: { kind: "code", text: inner.replace(/^ (.+) $/, "$1") }, end };
  if (opening.startsWith("<")) {
    const to = text.slice(at + 1, close);
    return { part: { kind: "link", to, parts: [{ kind: "text", text: to }] }, end };
  }
  if (opening.startsWith("*")) {
    if (inner !== inner.trim()) return null;
    return { part: { kind: opening === "*" ? "em" : "strong", parts: partsOf(inner) }, end };
  }
  const last = text.indexOf(")", end);
  if (last < 0 || /[[\]]/.test(inner.replaceAll(CODE, ""))) return null;
  const part: Part = { kind: "link", to: text.slice(end, last), parts: partsOf(inner) };
  return { part: opening === "[" ? part : null, end: last + 1 };
}

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let done = 0;
  for (const { 0: opening, index } of text.matchAll(OPENING)) {
    const mark = index < done ? null : markAt(text, opening, index);
    if (mark === null) continue;
    parts.push({ kind: "text", text: text.slice(done, index) });
    if (mark.part !== null) parts.push(mark.part);
    done = mark.end;
  }
  return [...parts, { kind: "text", text: text.slice(done) }];
}

function render(part: Part, resolve: Resolve): Html {
  if (part.kind === "text") return html`${part.text}`;
  if (part.kind === "code") return html`<code>${part.text}</code>`;
  const inner = part.parts.map((each) => render(each, resolve));
  if (part.kind === "strong") return html`<strong>${inner}</strong>`;
  if (part.kind === "em") return html`<em>${inner}</em>`;
  const to = resolve(part.to);
  return to === null ? html`${inner}` : html`<a href="${to}">${inner}</a>`;
}

/** Renders the Markdown within a line: code, links, bold and emphasized text. Pictures are left out. */
export const inline = (text: string, resolve: Resolve): Html =>
  html`${partsOf(text).map((part) => render(part, resolve))}`;

const plain = (parts: Part[]): string =>
  parts.map((part) => ("parts" in part ? plain(part.parts) : part.text)).join("");

/** Returns the text of a line of Markdown without its marks. */
export const plainText = (text: string): string => plain(partsOf(text));
