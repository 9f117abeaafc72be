import { isSlug } from "../../http/canvas-path.ts";

/**
 * Slugs that no new canvas gets, because they could be mistaken for parts of the service, or because programs look for hosts of these names
 * by themselves, such as `wpad` for the proxy settings of browsers. A canvas that has one keeps it.
 */
const RESERVED = new Set(
  "admin api app apps assets auth autoconfig autodiscover canvas cdn dashboard docs easel ftp healthz help isatap localhost login logout mail mcp metrics mta-sts ns1 ns2 oauth readyz realtime sdk smtp static status support tokens wpad www".split(
    " ",
  ),
);

/** Whether a text is a valid slug that is not reserved for the service. A canvas may already use it. */
export const isAllowedSlug = (text: string): boolean => isSlug(text) && !RESERVED.has(text);

/** The ASCII spelling of German umlauts. `anyAscii` would convert `ä` to `a`. */
const UMLAUTS: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue" };

/** Returns a text in lower case with the ASCII spelling of its German umlauts. */
export const withoutUmlauts = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter);

/** Converts an ASCII text to lower-case letters, digits and inner hyphens. The result may be too short for a slug, or reserved. */
export const hyphenated = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, 48)
    .replace(/-$/, "");
