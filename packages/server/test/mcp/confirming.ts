import assert from "node:assert/strict";
import { manage } from "@easel/conformance/fixture";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { freshEmail, type Person, type Target } from "@easel/conformance/target";
import { FORM, post } from "../support/client.ts";
import type { ToolResult } from "../support/connected-tool.ts";

/** A canvas as the management API returns it. */
export interface Shared {
  id: string;
  slug: string;
  access: string;
  hasPassword: boolean;
  expiresAt: number | null;
  people: { email: string; role: string }[];
  discoverability: string;
}

/** Makes a canvas, with sharing settings if they are given. */
export async function newCanvas(target: Target, person: Person, sharing: object = {}): Promise<Shared> {
  const made = await manage(target, person, "POST", "/api/canvases", { title: "Minutes" });
  assert.equal(made.status, 201, made.text);
  const path = `/api/canvases/${made.json.id}/sharing`;
  const { status, json, text } = await manage(target, person, "PUT", path, sharing);
  assert.equal(status, 200, text);
  return json as unknown as Shared;
}

export const readCanvas = async (target: Target, person: Person, { id }: { id: string }): Promise<Shared> =>
  (await manage(target, person, "GET", `/api/canvases/${id}`)).json as unknown as Shared;

export const textOf = ({ content }: ToolResult): string => content[0]?.text ?? "";

/** Returns the path of the page to which a tool sends the person. Fails unless the tool asks for it. */
export function linkIn(result: ToolResult): string {
  assert.equal(result.isError, true, textOf(result));
  assert.match(textOf(result), /^CONFIRMATION_REQUIRED: /);
  return new URL(/http\S+\/confirm\/\S+/.exec(textOf(result))?.[0] ?? assert.fail(textOf(result))).pathname;
}

const PAGE: Header[] = [["Accept", "text/html"]];

/** Opens the page of a question. */
export const openQuestion = (
  { base }: Target,
  { headers }: Pick<Person, "headers">,
  path: string,
): Promise<Answer> => send(base, { method: "GET", path, headers: [...headers, ...PAGE] });

/** Returns what a page of a question has shown, as its form sends it. */
export const shownIn = ({ text }: Answer): string => /name="shown" value="([^"]+)"/.exec(text)?.[1] ?? "";

/** Answers a question as the form of its page does. */
export const submitAnswer = (
  { base }: Target,
  { headers }: Pick<Person, "headers">,
  path: string,
  fields: Record<string, string>,
  more: Header[] = [],
): Promise<Answer> =>
  post(base, path, [FORM, ...PAGE, ...headers, ...more], new URLSearchParams(fields).toString());

/** Opens the page of a question and answers it. Returns the page after that. */
export async function answerQuestion(
  target: Target,
  person: Pick<Person, "headers">,
  path: string,
  answer: "allow" | "deny" = "allow",
): Promise<Answer> {
  const page = await openQuestion(target, person, path);
  assert.equal(page.status, 200, page.text);
  return submitAnswer(target, person, path, { answer, shown: shownIn(page) });
}

/** Signs in somebody whose address the service knows. */
export async function knownPerson(target: Target, name: string): Promise<Person> {
  return target.signIn(freshEmail(name));
}
