/** A part of a text that is not an e-mail address, and why. */
export interface AddressFault {
  text: string;
  why: string;
}

/** The addresses in a text that a person has typed or pasted, each once and in lower case, and what is no address. */
export interface Addresses {
  emails: string[];
  faults: AddressFault[];
}

const DOMAIN = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/;
const FORBIDDEN = /[\s\p{Cc}\p{Cf}\p{Cs},;<>"]/u;

/** Returns why the service would not take a text as an address, or null. Only ASCII letters have a lower case in addresses. */
function faultOf(email: string): string | null {
  const [name = "", domain, ...more] = email.split("@");
  if (domain === undefined) return "has no @";
  if (more.length > 0) return "has more than one @";
  if (name === "") return "has nothing before the @";
  if (domain === "") return "has nothing after the @";
  if (FORBIDDEN.test(name)) return "has a character that addresses do not have";
  if (!DOMAIN.test(domain)) return "has a domain with other characters than a to z, 0 to 9, dots and hyphens";
  if (name.length > 64 || email.length > 254) return "is too long";
  return null;
}

/** Splits a text at separators that are not in quotes. */
function split(text: string, separators: RegExp): string[] {
  const parts = [""];
  let isQuoted = false;
  for (const letter of text) {
    if (letter === '"') isQuoted = !isQuoted;
    if (letter === "\n") isQuoted = false;
    if (!isQuoted && separators.test(letter)) parts.push("");
    else parts.push(parts.pop() + letter);
  }
  return parts;
}

/** Returns the texts of a part that stand for addresses: those in angle brackets, and the words; beside brackets, words are a name unless they have an @. */
function wordsOf(part: string): string[] {
  const bracketed = [...part.matchAll(/<([^<>]*)>/g)].map(([, inside = ""]) => inside.trim());
  const words = part.replace(/<[^<>]*>/g, " ").split(/[\s,;]+/);
  return bracketed.length === 0 ? words : [...words.filter((word) => word.includes("@")), ...bracketed];
}

const AROUND = new Set("()[].\"'");

/** Returns a word without the brackets, quotes and dots around it. */
function bareOf(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && AROUND.has(word.charAt(start))) start += 1;
  while (start < end && AROUND.has(word.charAt(end - 1))) end -= 1;
  return word.slice(start, end);
}

/**
 * Finds the addresses in a text: separated by commas, semicolons, spaces or lines, as `ada@acme.test`, `mailto:ada@acme.test` or
 * `Ada Lovelace <ada@acme.test>`. Where semicolons separate them, commas belong to names.
 */
export function addressesIn(text: string): Addresses {
  const parts = split(text, text.includes(";") ? /[;\n\r]/ : /[,\n\r]/);
  const emails = new Set<string>();
  const faults: AddressFault[] = [];
  for (const word of parts.flatMap(wordsOf)) {
    const bare = bareOf(word.replace(/^mailto:/i, ""));
    if (bare === "") continue;
    const email = bare.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    const why = faultOf(email);
    if (why === null) emails.add(email);
    else faults.push({ text: word, why });
  }
  return { emails: [...emails], faults };
}
