import { lookup } from "mrmime";

/** Media types by file extension. They replace the media types that `mrmime` has for these extensions. */
const OVERRIDES = new Map([
  ["ts", "text/plain"],
  ["tsx", "text/plain"],
  ["mts", "text/plain"],
  ["cts", "text/plain"],
  ["jsx", "text/plain"],
  ["js", "text/javascript"],
  ["mjs", "text/javascript"],
  ["cjs", "text/javascript"],
  ["ico", "image/x-icon"],
]);

/** Returns the `Content-Type` of a path, with its charset. */
export function mimeOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  // `lookup` reads a plain object, which inherits properties such as `constructor`, so its result may not be a string.
  const known: unknown = OVERRIDES.get(ending) ?? lookup(ending);
  const type = typeof known === "string" ? known : "application/octet-stream";
  return isText(type) ? `${type}; charset=utf-8` : type;
}

const isText = (type: string) =>
  type.startsWith("text/") || /^application\/(json|xml|manifest\+json|ld\+json)$|\+xml$/.test(type);

/** Whether content of this type is worth compressing. */
export const isCompressible = (type: string): boolean =>
  isText(type.split(";")[0] ?? "") || /^(application\/wasm|font\/(ttf|otf)|image\/(bmp|x-icon))/.test(type);
