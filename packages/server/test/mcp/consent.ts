import assert from "node:assert/strict";
import type { Header } from "@easel/conformance/http";
import { openPage, submitTo } from "../sign-in/oauth-client.ts";
import type { Person } from "./ai-tool.ts";

/** Returns what a browser sends for a form without a change of the person: hidden fields, and the radio buttons and boxes that are checked. */
export function fieldsOf(page: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [tag] of page.matchAll(/<input\b[^>]*>/g)) {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
    const type = attribute("type") ?? "text";
    const name = attribute("name");
    if (name === undefined || ((type === "radio" || type === "checkbox") && !/\schecked\b/.test(tag)))
      continue;
    fields[name] = attribute("value") ?? (type === "checkbox" ? "on" : "");
  }
  return fields;
}

/** Returns a person with a session who answers the question of a program. `choices` are the fields that they change; null leaves one out. */
export const answering =
  (headers: Header[], answer: "allow" | "deny", choices: Record<string, string | null> = {}): Person =>
  async (asked) => {
    const page = await openPage(asked, headers);
    assert.equal(page.status, 200, page.text);
    const all: Record<string, string | null> = { ...fieldsOf(page.text), ...choices, answer };
    const sent = Object.entries(all).filter((field): field is [string, string] => field[1] !== null);
    const {
      status,
      headers: got,
      text,
    } = await submitTo(asked.origin, asked.pathname, headers, Object.fromEntries(sent));
    assert.equal(status, 303, text);
    return new URL(got.location ?? "");
  };
