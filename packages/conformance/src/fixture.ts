import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Access, Capabilities } from "@easel/protocol/types";
import { type Answer, send } from "./http.ts";
import { JSON_TYPE, open, type Page } from "./page.ts";
import { freshEmail, type Person, type Target } from "./target.ts";

/** The people of every test canvas. The stranger is signed in, but is not on the list of people with whom the canvas is shared. */
export const ROLES = ["owner", "editor", "viewer", "stranger"] as const;

/** One of the people of a test canvas. */
export type Role = (typeof ROLES)[number];

/** The people of a test canvas, by role. */
export type Cast = Record<Role, Person>;

/**
 * A test canvas with its people. For each role, `pages` has the page of the canvas, opened by the person in that role. A page sends
 * requests to the runtime API.
 */
export interface Stage {
  id: string;
  slug: string;
  people: Cast;
  pages: Record<Role, Page>;
}

/**
 * Settings of a test canvas. By default, the canvas is private and its backend is on. If `switches` is null, the test does not change the
 * capability switches of the new canvas.
 */
export interface Setup {
  access?: Access;
  terms?: Terms;
  switches?: Partial<Capabilities> | null;
  people?: Cast;
}

/** Returns an unused slug. */
export function freshSlug(): string {
  return `c-${randomBytes(8).toString("hex")}`;
}

/** The role of each person with whom a new test canvas is shared. */
const LISTED = { editor: "editor", viewer: "viewer" } as const;

/** Signs in four new people, one for each role. */
export async function cast(target: Target): Promise<Cast> {
  const people = await Promise.all(ROLES.map((role) => target.signIn(freshEmail(role))));
  return Object.fromEntries(ROLES.map((role, index) => [role, people[index]])) as Cast;
}

/** Creates a test canvas through the management API. */
export async function stage(target: Target, setup: Setup = {}): Promise<Stage> {
  const people = setup.people ?? (await cast(target));
  const slug = freshSlug();
  const made = await manage(target, people.owner, "POST", "/api/canvases", { title: "Conformance", slug });
  assert.equal(made.status, 201, `POST /api/canvases: ${made.text}`);
  const pages = Object.fromEntries(ROLES.map((role) => [role, open(target, slug, people[role])]));
  const canvas: Stage = { id: String(made.json.id), slug, people, pages: pages as Stage["pages"] };
  target.ids?.set(slug, canvas.id);
  if (setup.switches !== null) await turn(target, canvas, { backendEnabled: true, ...setup.switches });
  await share(target, canvas, setup.access ?? "private", LISTED, setup.terms);
  return canvas;
}

/** Changes capability switches of a canvas, as its owner. */
export async function turn(target: Target, { id, people }: Stage, switches: Partial<Capabilities>) {
  const answer = await manage(target, people.owner, "PATCH", `/api/canvases/${id}/capabilities`, switches);
  assert.equal(answer.status, 200, `PATCH capabilities: ${answer.text}`);
}

/** The sharing settings of a canvas, apart from its general access (such as `public_link`) and the people with whom it is shared. */
export interface Terms {
  password?: string | null;
  /** The time at which access to the canvas ends, in epoch milliseconds. Null if access never ends. */
  expiresAt?: number | null;
  teams?: { id: string; role: "editor" | "viewer" }[];
}

/**
 * Shares a canvas, as its owner. `listed` has the role of each person with whom the canvas is then shared. People who are not in `listed`
 * get no role.
 */
export function share(
  target: Target,
  canvas: Stage,
  access: Access,
  listed: Partial<Record<Role, "editor" | "viewer">>,
  terms: Terms = {},
) {
  const people = Object.entries(listed).map(([who, role]) => ({
    email: canvas.people[who as Role].email,
    role,
  }));
  return amend(target, canvas, { access, people, ...terms });
}

/** Changes the sharing settings of a canvas that are in `change`, as its owner. The other settings stay as they are. */
export async function amend(
  target: Target,
  { id, people }: Stage,
  change: Terms & { access?: Access; people?: object[] },
) {
  const answer = await manage(target, people.owner, "PUT", `/api/canvases/${id}/sharing`, change);
  assert.equal(answer.status, 200, `PUT sharing: ${answer.text}`);
}

/** Sends a request to the management API as a person, without the headers that a browser adds. A null person is an anonymous caller. */
export function manage(
  target: Target,
  person: Person | null,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  return send(target.base, {
    method,
    path,
    headers: [...(person?.headers ?? []), ...(body ? [JSON_TYPE] : [])],
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}
