const SLUG = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/** Whether a text is a slug: one lower-case label of 3 to 63 letters, digits and inner hyphens, and not punycode. */
export const isSlug = (text: string): boolean => SLUG.test(text) && !text.startsWith("xn--");

/** The path of a canvas's pages, without a slash at its end; `:slug` makes it a route pattern. */
export const contentPath = (slug: string): string => `/c/${slug}`;

/** The path of a canvas's runtime API, without a slash at its end; `:slug` makes it a route pattern. */
export const apiPath = (slug: string): string => `/v1/c/${slug}`;

/** The parts of a path of a canvas, each as it is written, still percent-encoded. */
export interface CanvasPath {
  surface: "content" | "api";
  /** Empty for the folder of all canvases. */
  slug: string;
  /** Everything behind the slug, the query included. */
  rest: string;
}

// The router reads `%63` as the letter that it stands for.
const CANVAS_PATH = /^(\/v1)?\/(?:c|%63)(?:\/([^/?]*)(.*))?$/s;

/** Splits a path, with or without a query, into the parts of a canvas's path; null for any other path. */
export function parseCanvasPath(path: string): CanvasPath | null {
  const match = CANVAS_PATH.exec(path);
  if (match === null) return null;
  const [, version, slug = "", rest = ""] = match;
  return { surface: version === undefined ? "content" : "api", slug, rest };
}
