import assert from "node:assert/strict";
import { type Answer, type Header, send } from "@easel/conformance/http";

/** What a service has answered, by caller and address: the status, and the body as JSON or text. */
export type Recorded = Map<string, { status: number; body: unknown }>;

/** Those who ask, by name: the headers by which a service knows them. */
export type Callers = Record<string, Header[]>;

interface Operation {
  parameters?: { name?: string; in?: string; required?: boolean }[];
}

/**
 * Returns the address of every operation of an OpenAPI document that only reads. `fill` returns the paths that a template stands for, with what they ask
 * for; an empty list leaves it out. Returns the templates that are left out, too.
 */
export function readsOf(
  document: Record<string, unknown>,
  fill: (template: string) => string[],
): { addresses: string[]; leftOut: string[] } {
  const paths = document.paths as Record<string, Record<string, Operation>>;
  const addresses: string[] = [];
  const leftOut: string[] = [];
  for (const [template, operations] of Object.entries(paths)) {
    if (operations.get === undefined) continue;
    const filled = fill(template);
    if (filled.length === 0) leftOut.push(template);
    addresses.push(...filled);
  }
  return { addresses, leftOut };
}

/** Sends a GET request for each address as each caller. */
export async function record(
  base: string,
  addresses: readonly string[],
  callers: Callers,
): Promise<Recorded> {
  const recorded: Recorded = new Map();
  for (const path of addresses)
    for (const [name, headers] of Object.entries(callers)) {
      const answer = await send(base, { method: "GET", path, headers });
      recorded.set(`${name} ${path}`, { status: answer.status, body: bodyOf(answer) });
    }
  return recorded;
}

function bodyOf({ headers, text, bytes }: Answer): unknown {
  const type = String(headers["content-type"] ?? "");
  if (/json/.test(type) && text !== "")
    return JSON.parse(text, (name, value) => (name === "requestId" ? undefined : value));
  return /text|html/.test(type) ? text : bytes.toString("base64");
}

/** Returns what of `before` is not in `after`, as lines with the place of each difference. `after` may have more fields. */
export function differences(before: Recorded, after: Recorded): Map<string, string> {
  const found = new Map<string, string>();
  const shown = (value: unknown) => String(JSON.stringify(value)).slice(0, 200);
  const compare = (place: string, one: unknown, other: unknown) => {
    if (Array.isArray(one) && Array.isArray(other) && one.length === other.length)
      for (const [index, each] of one.entries()) compare(`${place}[${index}]`, each, other[index]);
    else if (isObject(one) && isObject(other))
      for (const [name, each] of Object.entries(one)) compare(`${place}.${name}`, each, other[name]);
    else if (JSON.stringify(one) !== JSON.stringify(other))
      found.set(place, `${shown(one)} became ${shown(other)}`);
  };
  for (const [place, answer] of before) {
    const now = after.get(place);
    assert.ok(now !== undefined, place);
    compare(place, answer, now);
  }
  return found;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
