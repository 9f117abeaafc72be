import { randomUUID } from "node:crypto";
import { manage, ROLES, type Role, type Setup, type Stage, stage } from "../fixture.ts";
import type { Person, Target } from "../target.ts";

/** The fields by which realtime frames describe a person. */
export interface User {
  id: string;
  name: string;
  [field: string]: string;
}

/** A test canvas. `users` has the id and the name of the person in each role, as realtime frames contain them. */
export interface Room extends Stage {
  users: Record<Role, User>;
}

/**
 * Creates a test canvas that is shared with the whole organisation. So even its person `stranger`, to whom no role is granted, is a viewer.
 */
export async function room(target: Target, setup: Setup = {}): Promise<Room> {
  const canvas = await stage(target, { access: "whole_org", ...setup });
  const users = await Promise.all(ROLES.map((role) => userOf(target, canvas.people[role])));
  const byRole = Object.fromEntries(ROLES.map((role, index) => [role, users[index]]));
  return { ...canvas, users: byRole as Room["users"] };
}

/** Requests the id and the name of a signed-in person from `GET /api/me`, and returns them as realtime frames contain them. */
export async function userOf(target: Target, person: Person): Promise<User> {
  const { json } = await manage(target, person, "GET", "/api/me");
  return { id: String(json.id), name: String(json.name) };
}

/** Returns the name of an unused channel on which everyone with access to the canvas may publish. */
export const freshChannel = (): string => `participants:${randomUUID()}`;
