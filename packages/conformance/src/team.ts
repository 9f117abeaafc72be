import assert from "node:assert/strict";
import { manage } from "./fixture.ts";
import type { Person, Target } from "./target.ts";

/** A team, and the person who created it. */
export interface Team {
  id: string;
  maker: Person;
}

/** Creates a team with these members. */
export async function makeTeam(target: Target, maker: Person, members: Person[]): Promise<Team> {
  const body = { name: "A team", members: members.map(({ email }) => email) };
  const answer = await manage(target, maker, "POST", "/api/teams", body);
  assert.equal(answer.status, 201, `POST teams: ${answer.text}`);
  return { id: String(answer.json.id), maker };
}

/** Replaces the members of a team. */
export async function regroup(target: Target, { id, maker }: Team, members: Person[]): Promise<void> {
  const body = { members: members.map(({ email }) => email) };
  const answer = await manage(target, maker, "PATCH", `/api/teams/${id}`, body);
  assert.equal(answer.status, 200, `PATCH team: ${answer.text}`);
}

/** Deletes a team. */
export async function dissolve(target: Target, { id, maker }: Team): Promise<void> {
  const answer = await manage(target, maker, "DELETE", `/api/teams/${id}`);
  assert.equal(answer.status, 204, `DELETE team: ${answer.text}`);
}
