import assert from "node:assert/strict";
import { manage } from "./fixture.ts";
import type { Person, Target } from "./target.ts";

/** A personal access token. Requests with its `headers` count as requests of the person whose token it is. */
export interface Token extends Person {
  id: string;
  token: string;
}

/** Creates a personal access token for a person. `expiresAt` is in epoch milliseconds. */
export async function tokenOf(target: Target, person: Person, expiresAt?: number): Promise<Token> {
  const body = { name: "A program", ...(expiresAt === undefined ? {} : { expiresAt }) };
  const answer = await manage(target, person, "POST", "/api/tokens", body);
  assert.equal(answer.status, 201, `POST tokens: ${answer.text}`);
  const token = String(answer.json.token);
  const { email, name } = person;
  return { email, name, headers: [["Authorization", `Bearer ${token}`]], id: String(answer.json.id), token };
}
