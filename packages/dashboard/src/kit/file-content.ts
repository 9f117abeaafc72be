/** What says how a file can be shown: its media type, and its size in bytes. */
interface Typed {
  mime: string;
  size: number;
}

/** How a file is shown. An SVG is an image and a text. */
export type Look = "text" | "image" | "svg" | "other";

/** The size in bytes up to which a file is read to be shown as text. */
const MAX_TEXT = 1024 * 1024;
/** The size in bytes up to which an image is shown. */
const MAX_IMAGE = 10 * 1024 * 1024;

/** The types of images that the page shows. None of them can run a script in an `<img>`. */
const IMAGES = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "image/x-icon",
  "image/vnd.microsoft.icon",
]);

/** Types that are not worth reading to see whether they are text. */
const NEVER_TEXT = /^(audio|video|font|image)\/|^application\/(pdf|zip|gzip|wasm|vnd\.ms-fontobject)/;

/** Returns the media type without its parameters. */
const typeOf = ({ mime }: Pick<Typed, "mime">): string => mime.split(";")[0]?.trim().toLowerCase() ?? "";

/** Returns how a file can be shown, by its media type and size. A `text` may turn out to be none. */
export function lookOf(file: Typed): Look {
  const type = typeOf(file);
  if (type === "image/svg+xml") return file.size <= MAX_TEXT ? "svg" : "other";
  if (IMAGES.has(type)) return file.size <= MAX_IMAGE ? "image" : "other";
  return file.size <= MAX_TEXT && !NEVER_TEXT.test(type) ? "text" : "other";
}

/** Returns bytes as text, with the byte order mark that they may have. Returns null if they are no UTF-8 text: they contain a NUL, or are not valid. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Characters that are invisible, or that reorder the text around them, as in source code that reads otherwise than it runs. */
const INVISIBLE = /(?![\t\n])\p{Cc}|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** Returns a text with its invisible characters spelled, such as "[U+202E]". */
export const visible = (text: string): string =>
  text.replace(
    INVISIBLE,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );

/** The number of characters of a line that are shown. */
const MAX_LINE = 1_000;
/** The number of characters before the first difference of a long line that are shown. */
const BEFORE = 60;

/**
 * Cuts a long line, as those of minified files are, so that the first difference from `other` is in what is left. `before` and `after` are the
 * numbers of characters that are cut.
 */
export function cutLine(text: string, other: string): { before: number; text: string; after: number } {
  if (text.length <= MAX_LINE) return { before: 0, text, after: 0 };
  let same = 0;
  while (same < text.length && text[same] === other[same]) same++;
  const before = same === text.length || same < BEFORE ? 0 : same - BEFORE;
  const cut = text.slice(before, before + MAX_LINE);
  return { before, text: cut, after: text.length - before - cut.length };
}
