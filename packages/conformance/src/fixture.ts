import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Access, Capabilities } from "@easel/protocol/types";
import { type Answer, send } from "./http.ts";
import { JSON_TYPE, open, type Page } from "./page.ts";
import { freshEmail, type Person, type Target } from "./target.ts";

/** The people of every fixture. The stranger is signed in but not on the people list. */
export const ROLES = ["owner", "editor", "viewer", "stranger"] as const;

/** One of the people of a fixture. */
export type Role = (typeof ROLES)[number];

/** The people of a fixture by role. */
export type Cast = Record<Role, Person>;

/** A canvas of one suite, with its people, and the canvas's page as each of them opens it. */
export interface Stage {
  id: string;
  slug: string;
  people: Cast;
  pages: Record<Role, Page>;
}

/** Settings of a canvas. By default it is private with its backend on; `switches: null` leaves the switches as created. */
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

/** The people list of a new canvas. */
const LISTED = { editor: "editor", viewer: "viewer" } as const;

/** Signs in four new people, one for each role. */
export async function cast(target: Target): Promise<Cast> {
  const people = await Promise.all(ROLES.map((role) => target.signIn(freshEmail(role))));
  return Object.fromEntries(ROLES.map((role, index) => [role, people[index]])) as Cast;
}

/** Makes a canvas through the management API. */
export async function stage(target: Target, setup: Setup = {}): Promise<Stage> {
  const people = setup.people ?? (await cast(target));
  const slug = freshSlug();
  const made = await manage(target, people.owner, "POST", "/api/canvases", { title: "Conformance", slug });
  assert.equal(made.status, 201, `POST /api/canvases: ${made.text}`);
  const pages = Object.fromEntries(ROLES.map((role) => [role, open(target, slug, people[role])]));
  const canvas: Stage = { id: String(made.json.id), slug, people, pages: pages as Stage["pages"] };
  if (setup.switches !== null) await turn(target, canvas, { backendEnabled: true, ...setup.switches });
  await share(target, canvas, setup.access ?? "private", LISTED, setup.terms);
  return canvas;
}

/** Changes the capability switches of a canvas. */
export async function turn(target: Target, { id, people }: Stage, switches: Partial<Capabilities>) {
  const answer = await manage(target, people.owner, "PATCH", `/api/canvases/${id}/capabilities`, switches);
  assert.equal(answer.status, 200, `PATCH capabilities: ${answer.text}`);
}

/** The settings of a share other than the rung and the people. */
export interface Terms {
  password?: string | null;
  /** Epoch milliseconds. */
  expiresAt?: number | null;
  teams?: { id: string; role: "editor" | "viewer" }[];
}

/** Shares a canvas. `listed` is its people list by role of the fixture. */
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

/** Changes the named share settings of a canvas, as its owner. */
export async function amend(
  target: Target,
  { id, people }: Stage,
  change: Terms & { access?: Access; people?: object[] },
) {
  const answer = await manage(target, people.owner, "PUT", `/api/canvases/${id}/sharing`, change);
  assert.equal(answer.status, 200, `PUT sharing: ${answer.text}`);
}

/** Sends a request to the management API, without the headers of a browser. */
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
