import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { manage, turn } from "@easel/conformance/fixture";
import type { Guest } from "@easel/conformance/guest";
import { send } from "@easel/conformance/http";
import { parallel } from "@easel/conformance/parallel";
import { refused } from "@easel/conformance/refusal";
import { ERRORS } from "@easel/protocol/errors";
import { ACCESS_RULES, type AccessExplanation, type AccessRefusal } from "@easel/protocol/management";
import type { Identity } from "@easel/protocol/types";
import { LADDER } from "../../src/access/ladder.ts";
import { NO_RIGHTS } from "../../src/primitives/identity/effective-rights.ts";
import { arrange, type Fixture, startFixture, visit } from "./matrix-fixture.ts";
import { type Cell, EXPIRIES, ROLES, RUNGS, STATES } from "./matrix-oracle.ts";
import { pairs } from "./pairs.ts";

/*
 * Compares what `canvas.explain` says about a person with requests of that very person, for a sample of people and states of the canvas.
 */

const PASSWORDS = ["none", "set"] as const;
/** A person and a state of the canvas. The person has not entered the password. */
type Case = Omit<Cell, "surface" | "password"> & { password: (typeof PASSWORDS)[number] };

/** The error of each rule: those of the ladder, and those of the other steps of a request. */
const CODES = {
  ...Object.fromEntries(LADDER.map(({ name, code }) => [name, code])),
  signed_in: "NOT_AUTHENTICATED",
  published: "NOT_FOUND",
  backend: "CAPABILITY_DISABLED",
} as Record<AccessExplanation["steps"][number]["rule"], AccessRefusal>;

const POLICY = {
  collections: { ideas: { preset: "contributions" }, notes: { preset: "personal" } },
  fileGroups: { photos: { preset: "managed" } },
  channels: {
    board: { subscribe: "viewers", publish: "editors", seePresence: "viewers", participatePresence: "none" },
  },
  connections: { weather: { audience: "viewers", methods: ["GET"] } },
};

/** Gives the canvas a policy and a Connection, so that people have rights that differ. */
async function furnish({ target, canvas }: Fixture): Promise<void> {
  const settings = { runtimePolicy: POLICY, expectedRuntimePolicy: null };
  const path = `/api/canvases/${canvas.id}/capabilities`;
  assert.equal((await manage(target, canvas.people.owner, "PATCH", path, settings)).status, 200);
  await turn(target, canvas, { authoring: true, aiAudience: "viewers" });
  const admin = await target.signIn(target.admin);
  const profile = { origin: "https://api.example.com", methods: ["GET", "POST"] };
  for (const [at, body] of [
    ["/api/admin/connections/weather", profile],
    [`/api/admin/connections/weather/grants/${canvas.id}`, { guests: false }],
  ] as const)
    assert.ok((await manage(target, admin, "PUT", at, body)).status < 300);
}

/** Returns the query that asks about a person. */
function queryFor({ people }: Fixture, role: Case["role"]): string {
  const person = people[role];
  if (person === null) return "as=anonymous";
  const guest = role.startsWith("guest") ? (person as Guest) : null;
  return guest === null ? `email=${encodeURIComponent(person.email)}` : `invite=${guest.invite.id}`;
}

/** Requests `GET /me` as a person, before or after they have entered the password. Returns null if the API refuses. */
async function meOf(
  { target, canvas, keys }: Fixture,
  role: Case["role"],
  when: "before" | "after",
): Promise<Identity | null> {
  const headers = keys.get(role)?.[when].api ?? assert.fail(role);
  const answer = await send(target.base, { method: "GET", path: `/v1/c/${canvas.slug}/me`, headers });
  return answer.status === 200 ? (answer.json as unknown as Identity) : null;
}

const ROLE_ORDER = ["owner", "editor", "viewer"];

/** Asserts that an explanation is what requests of the person get. */
async function compare(fixture: Fixture, cell: Case, explained: AccessExplanation): Promise<void> {
  const { pages, api, code, role, steps, grants, permissions, resources } = explained;
  const [page, runtime] = [
    await visit(fixture, { ...cell, surface: "page" }),
    await visit(fixture, { ...cell, surface: "api" }),
  ];
  const closing = (surface: "pages" | "api") => {
    const found = steps.filter(({ closes }) => closes.includes(surface));
    assert.ok(found.length <= 1);
    return found[0] && CODES[found[0].rule];
  };
  const [ofPages, ofApi] = [closing("pages"), closing("api")];
  const says = (refusal: AccessRefusal) => `${ERRORS[refusal].status} ${refusal}`;
  const whenPage = ofPages === "NOT_AUTHENTICATED" ? "302" : ofPages && `${ERRORS[ofPages].status}`;
  const whenApi = ofApi === "NOT_AUTHENTICATED" ? "401" : ofApi && says(ofApi);
  assert.deepEqual({ page, runtime }, { page: whenPage ?? "200", runtime: whenApi ?? "200" });
  assert.deepEqual({ pages, api }, { pages: page === "200", api: runtime === "200" });

  const first = steps.find(({ outcome }) => outcome === "refused");
  assert.equal(code, first === undefined ? null : CODES[first.rule]);
  assert.deepEqual(
    steps.map(({ rule }) => rule),
    ACCESS_RULES,
  );
  for (const { outcome, closes, because } of steps) {
    assert.equal(outcome === "refused", closes.length > 0);
    assert.match(because, /^[A-Z].*\.$/);
  }

  assert.equal(role, grants[0]?.role ?? null);
  const ranks = grants.map((grant) => ROLE_ORDER.indexOf(grant.role));
  assert.deepEqual(ranks, ranks.toSorted());
  const [now, later] = [await meOf(fixture, cell.role, "before"), await meOf(fixture, cell.role, "after")];
  if (now !== null) assert.equal(role, now.canvasRole);
  // The rights are those of a person who has entered the password.
  const me = cell.password === "none" ? now : later;
  const rights = me === null ? NO_RIGHTS : { permissions: me.permissions, resources: me.resources };
  assert.deepEqual({ permissions, resources }, rights);
}

const USUAL = { state: "active", password: "none", expiry: "none" } as const;

/** Returns the cases: every pair of values, every pair on an active canvas, and every person with every general access. */
function sample(roles: readonly Case["role"][]): Case[] {
  const factors = { role: roles, rung: RUNGS, password: PASSWORDS, expiry: EXPIRIES };
  return [
    ...pairs<Case & Record<string, string>>({ ...factors, state: STATES }),
    ...pairs<Case & Record<string, string>>({ ...factors, state: ["active"] }),
    ...roles.flatMap((role) => RUNGS.map((rung): Case => ({ ...USUAL, role, rung }))),
  ];
}

const ROWS = [
  { tenancy: true, roles: ROLES },
  { tenancy: false, roles: ROLES.slice(0, 10) },
];

const fixtures: { tenancy: boolean; roles: readonly Case["role"][]; fixture: Fixture }[] = [];
for (const row of ROWS)
  fixtures.push({ ...row, fixture: await startFixture({ after }, { ...row, urlMode: "path" }) });

for (const { tenancy, roles, fixture } of fixtures) {
  describe(`what is explained is what happens, organisations ${tenancy ? "on" : "off"}`, () => {
    const { target, canvas } = fixture;
    before(() => furnish(fixture));

    for (const rung of RUNGS) {
      it(rung, async () => {
        const admin = await target.signIn(target.admin);
        const states = Map.groupBy(
          sample(roles).filter((cell) => cell.rung === rung),
          ({ state, password, expiry }) => `${state}, ${password}, ${expiry}`,
        );
        for (const cells of states.values()) {
          await arrange(fixture, cells[0] as Case);
          await parallel(
            cells,
            async (cell) => {
              const query = queryFor(fixture, cell.role);
              const path = `/canvases/${canvas.id}/access?${query}`;
              const [any, own] = [
                await manage(target, admin, "GET", `/api/admin${path}`),
                await manage(target, canvas.people.owner, "GET", `/api${path}`),
              ];
              assert.equal(any.status, 200, any.text);
              const explained = any.json as unknown as AccessExplanation;
              await compare(fixture, cell, explained).catch((error: Error) => {
                error.message = `${JSON.stringify(cell)}: ${error.message}`;
                throw error;
              });
              if (cell.state.endsWith("deleted") || cell.role === "guest of another canvas")
                return refused(own, 404, "NOT_FOUND");
              // Nothing but who somebody is depends on who asks.
              const { subject, steps, grants } = own.json as unknown as AccessExplanation;
              const unnamed = (each: AccessExplanation) => ({
                ...each,
                subject: { ...each.subject, kind: "", name: "" },
                steps: each.steps.map(({ because, ...step }) => step),
                grants: each.grants.map(({ team, ...grant }) => grant),
              });
              assert.deepEqual(unnamed(own.json as unknown as AccessExplanation), unnamed(explained));
              assert.deepEqual(
                [steps.length, grants.length],
                [explained.steps.length, explained.grants.length],
              );
              assert.equal(subject.email, explained.subject.email);
            },
            8,
          );
        }
      });
    }
  });
}
