import type { SettingsPatch } from "../../../api/instance.ts";
import { bytesOf } from "../../../kit/bytes.ts";
import { dollarsOf } from "../../../kit/money.ts";

/* The values of settings that administrators change: what kind each is, and from a text to a value and back. */

/** What a value is. Amounts of money are US dollars. */
export type ValueKind = "switch" | "dollars" | "names" | "bytes" | "count";

/** Returns the kind of the setting with a place in the body of `settings.update`, such as `ai.guestUsd`. */
export function kindOf(key: string): ValueKind {
  if (key === "publicLinks") return "switch";
  if (key === "ai.models") return "names";
  if (key.startsWith("ai.")) return "dollars";
  return key.includes(".bytes.") ? "bytes" : "count";
}

export type SettingValue = boolean | number | string[];

const UNITS: Record<string, number> = {
  "": 1,
  b: 1,
  byte: 1,
  bytes: 1,
  k: 1024,
  kb: 1024,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
  gib: 1024 ** 3,
  t: 1024 ** 4,
  tb: 1024 ** 4,
  tib: 1024 ** 4,
};

/** Returns a number of bytes from a text such as "1073741824", "1 GB" or "1.5 mib", or null if it is none. */
function bytesIn(text: string): number | null {
  const [, amount = "", unit = ""] = /^([\d.]+)\s*([a-z]*)$/i.exec(text) ?? [];
  const factor = Object.hasOwn(UNITS, unit.toLowerCase()) ? UNITS[unit.toLowerCase()] : undefined;
  const bytes = Math.round(Number(amount) * (factor ?? Number.NaN));
  return amount === "" || !Number.isSafeInteger(bytes) ? null : bytes;
}

/** Reads what somebody has typed. Returns the value, or what is wrong with the text in a sentence. */
export function valueIn(
  kind: Exclude<ValueKind, "switch">,
  given: string,
): { value: SettingValue } | { fault: string } {
  const text = given.trim();
  if (kind === "names")
    return {
      value: text
        .split(/[,\n]/)
        .map((name) => name.trim())
        .filter((name) => name !== ""),
    };
  // A comma between thousands, as the page shows it, or a decimal point.
  const plain = text.replaceAll(/,(?=\d{3}(\D|$))/g, "");
  if (kind === "bytes") {
    const bytes = bytesIn(plain);
    return bytes === null ? { fault: "Give a number of bytes, such as 500 MB or 2 GB." } : { value: bytes };
  }
  const number = plain === "" ? Number.NaN : Number(plain.replace(/^\$/, ""));
  if (kind === "dollars")
    return number >= 0 && Number.isFinite(number)
      ? { value: number }
      : { fault: "Give an amount of US dollars, such as 5 or 0.50." };
  return Number.isSafeInteger(number) && number >= 0
    ? { value: number }
    : { fault: "Give a whole number, such as 200." };
}

const whole = new Intl.NumberFormat("en");

/** Returns the value of a setting in words. `text` is as the service has it. */
export function wordsOf(kind: ValueKind | null, text: string): string {
  if (text === "") return "";
  const number = Number(text);
  if (kind === "bytes" && Number.isFinite(number)) return bytesOf(number);
  if (kind === "count" && Number.isFinite(number)) return whole.format(number);
  if (kind === "dollars" && Number.isFinite(number)) return dollarsOf(number);
  return text;
}

/** Returns the text with which a field for the value begins. */
export const editedText = (kind: ValueKind, text: string): string =>
  kind === "bytes" && text !== "" && bytesIn(bytesOf(Number(text))) === Number(text)
    ? bytesOf(Number(text))
    : text;

/** Returns the body of `settings.update` that changes one setting. Null restores the default. */
export function patchOf(key: string, value: SettingValue | null): SettingsPatch {
  const [group = "", ...rest] = key.split(".");
  if (group === "quotas" || group === "ai") return { [group]: { [rest.join(".")]: value } };
  return { [key]: value };
}
