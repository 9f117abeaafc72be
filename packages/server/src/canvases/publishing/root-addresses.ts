/** The maximum number of bytes at the start of a page that are searched for addresses. */
export const SEARCHED_BYTES = 256 * 1024;

/** The maximum number of addresses that a warning names. */
const MAX_NAMED = 5;

/**
 * Matches `src` and `href` in HTML with an address that begins at the root of the host, such as `/app.js`. Captures the address without its
 * query.
 */
const FROM_ROOT = /\b(?:src|href)\s*=\s*["']?(\/[^/"'\s<>?#][^"'\s<>?#]*)/gi;

/**
 * Returns a warning if a page refers to files of its bundle from the root of the host, such as `/assets/app.js`. In path mode, where each
 * canvas is below a path of one host, such an address is outside of the canvas. `html` is the start of `index.html`, `paths` are those of
 * the bundle.
 */
export function rootAddressWarnings(html: string, paths: readonly string[]): string[] {
  const known = new Set(paths.map((path) => `/${path}`));
  const found = new Set(
    [...html.matchAll(FROM_ROOT)]
      .map(([, address = ""]) => address)
      .filter((address) => address.startsWith("/assets/") || known.has(address)),
  );
  if (found.size === 0) return [];
  const named = [...found].slice(0, MAX_NAMED).map((address) => `\`${address.slice(0, 100)}\``);
  const more = found.size > MAX_NAMED ? ` and ${found.size - MAX_NAMED} more` : "";
  return [
    `\`index.html\` refers to ${named.join(", ")}${more}, which ${found.size === 1 ? "is" : "are"} not below the address of the canvas. Use relative addresses; with Vite, set \`base: "./"\`.`,
  ];
}
