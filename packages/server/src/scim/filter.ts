import { refuseScim } from "./scim-error.ts";

/** An attribute by which resources are looked up, in lower case, and the value that it must have. */
export interface Filter {
  attribute: string;
  value: string;
}

/**
 * Parses the filter of a list. Providers ask for one resource by one attribute, as `userName eq "ada@acme.test"`; everything else is refused
 * with 400 `invalidFilter`, because a provider would take a list for the answer to its question. `attributes` are those that can be asked for.
 */
export function parseFilter(text: string, attributes: readonly string[]): Filter {
  // Within a condition such as `emails[type eq "work"].value eq "…"` the last one compares.
  const at = text.toLowerCase().lastIndexOf(' eq "');
  const [path, json] = at === -1 ? ["", ""] : [text.slice(0, at), text.slice(at + 4).trim()];
  const attribute = plainPath(path);
  if (!attributes.includes(attribute))
    refuseScim(
      400,
      `Filters are one of: ${attributes.map((each) => `${each} eq "…"`).join(", ")}.`,
      "invalidFilter",
    );
  try {
    return { attribute, value: String(JSON.parse(json)) };
  } catch {
    return refuseScim(400, "The value of the filter is no JSON text.", "invalidFilter");
  }
}

const SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/;

/** Returns the path of an attribute in lower case, without its schema and without the condition on a list, such as `emails.value`. */
export const plainPath = (path: string): string =>
  path
    .trim()
    .toLowerCase()
    .replace(SCHEMA, "")
    .replace(/\[[^[\]]*\]/, "");
