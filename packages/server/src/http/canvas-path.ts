const SLUG = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/** Whether a text is a slug: 3 to 63 lower-case ASCII letters, digits and inner hyphens, and not punycode (`xn--…`). */
export const isSlug = (text: string): boolean => SLUG.test(text) && !text.startsWith("xn--");

/** Returns the path of a canvas's pages, without a slash at its end. `contentPath(":slug")` is a route pattern. */
export const contentPath = (slug: string): string => `/c/${slug}`;

/** Returns the path of a canvas's runtime API, without a slash at its end. `apiPath(":slug")` is a route pattern. */
export const apiPath = (slug: string): string => `/v1/c/${slug}`;

/** Returns the path of a canvas's runtime API below the management API. `runtimePath(":canvas")` is a route pattern. */
export const runtimePath = (id: string): string => `/api/canvases/${id}/runtime`;

const RUNTIME_PATH = /^\/api\/canvases\/[^/?]+\/runtime(?=[/?]|$)(.*)$/s;

/** The parts of the path of a canvas, percent-encoded as in the URL. */
export interface CanvasPath {
  surface: "content" | "api";
  /** Empty if the path names no canvas, such as `/c/`. */
  slug: string;
  /** The part of the URL after the slug, with the query. */
  rest: string;
}

// The router decodes `%63` to `c`, so this pattern accepts both.
const CANVAS_PATH = /^(\/v1)?\/(?:c|%63)(?:\/([^/?]*)([/?].*)?)?$/s;

/** Splits the path of a canvas, with or without a query, into its parts. Returns null for any other path. */
export function parseCanvasPath(path: string): CanvasPath | null {
  const match = CANVAS_PATH.exec(path);
  if (match === null) return null;
  const [, version, slug = "", rest = ""] = match;
  return { surface: version === undefined ? "content" : "api", slug, rest };
}

/** Returns the part of a URL after the path of the runtime API of a canvas, with the query, or null for any other URL. */
export function runtimeRest(url: string): string | null {
  const path = parseCanvasPath(url);
  if (path?.surface === "api") return path.rest;
  return RUNTIME_PATH.exec(url)?.[1] ?? null;
}
