import type { Base } from "../../config/addresses.ts";
import type { BundleFile } from "./bundle.ts";

/** The maximum number of bytes at the start of a page that are searched for addresses. */
const SEARCHED_BYTES = 256 * 1024;

/** The maximum number of addresses that a warning names. */
const MAX_NAMED = 5;

/**
 * Matches `src` and `href` in HTML with an address that begins at the root of the host, such as `/app.js`. Captures the address without its
 * query.
 */
const FROM_ROOT = /\b(?:src|href)\s*=\s*["']?(\/[^/"'\s<>?#][^"'\s<>?#]*)/gi;

async function startOf(file: BundleFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of await file.open()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= SEARCHED_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, SEARCHED_BYTES).toString("latin1");
}

/**
 * Returns a warning if `index.html` refers to files of its bundle from the root of the host, such as `/assets/app.js`. In path mode, where
 * each canvas is below a path of one host, such an address is outside of the canvas. Throws 400 `INVALID_BODY` if the page cannot be read.
 */
export async function rootAddressWarnings(
  files: BundleFile[],
  { urlMode }: Pick<Base, "urlMode">,
): Promise<string[]> {
  const index = files.find(({ path }) => path === "index.html");
  if (urlMode !== "path" || index === undefined) return [];
  const paths = new Set(files.map(({ path }) => `/${path}`));
  const found = new Set(
    [...(await startOf(index)).matchAll(FROM_ROOT)]
      .map(([, address = ""]) => address)
      .filter((address) => address.startsWith("/assets/") || paths.has(address)),
  );
  if (found.size === 0) return [];
  const named = [...found].slice(0, MAX_NAMED).map((address) => `\`${address.slice(0, 100)}\``);
  const more = found.size > MAX_NAMED ? ` and ${found.size - MAX_NAMED} more` : "";
  return [
    `\`index.html\` refers to ${named.join(", ")}${more}, which ${found.size === 1 ? "is" : "are"} not below the address of the canvas. Use relative addresses; with Vite, set \`base: "./"\`.`,
  ];
}
