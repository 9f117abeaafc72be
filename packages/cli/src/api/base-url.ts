import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

/**
 * Converts the URL of a service, as a person enters it, to the base URL without a slash at the end. If the scheme is missing, `localhost`
 * and loopback addresses get `http`, all others `https`. Throws a usage error if the text is not an http or https URL.
 */
export function baseUrlOf(given: string): string {
  const text = given.trim();
  const isLocal = /^(localhost|[^/:]*\.localhost|127\.[\d.]+|\[::1\])(?=[:/]|$)/i.test(text);
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `${isLocal ? "http" : "https"}://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.hostname === "")
    return fail(`\`${clean(given)}\` is not the URL of a service.`, { exit: "usage" });
  return url.origin;
}
