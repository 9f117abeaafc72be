import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import {
  AUDIENCES,
  type CollectionPolicy,
  OPERATIONS,
  type Operation,
  type PolicyRight,
  PRESETS,
  type Preset,
  RIGHTS,
} from "@easel/protocol/policy";
import { cast } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import type { Answer } from "../http.ts";
import { open, type Page } from "../page.ts";
import { parallel } from "../parallel.ts";
import { idOf } from "../person-id.ts";
import { collecting, govern } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, byId, type Entry, entriesIn, entryOf } from "./entry.ts";
import { mayDo, outcome } from "./oracle.ts";

/**
 * One test: a collection `name` with a policy, and the operations that every caller tries on its records. If `read` is one of them, every
 * caller also lists the records; if `delete` is one of them, every caller also clears the collection.
 */
interface Case {
  name: string;
  title: string;
  policy: CollectionPolicy;
  operations: readonly Operation[];
}

const PRESET_NAMES = Object.keys(PRESETS) as Preset[];

/** Returns the right that a preset gives for an operation. */
const rightOf = (preset: Preset, operation: Operation): PolicyRight =>
  PRESETS[preset][operation === "increment" ? "update" : operation];

/**
 * Every preset, and every right of every operation as an override of a preset that gives another one. Everybody may read what they try to
 * change, so that only the overridden right decides.
 */
const CASES: Case[] = [
  ...PRESET_NAMES.map((preset) => ({
    name: preset,
    title: preset,
    policy: { preset },
    operations: OPERATIONS,
  })),
  ...OPERATIONS.flatMap((operation) => {
    const rights: readonly PolicyRight[] =
      operation === "create" ? AUDIENCES : (Object.keys(RIGHTS) as PolicyRight[]);
    return rights.map((right, index) => {
      const others = PRESET_NAMES.filter(
        (preset) =>
          rightOf(preset, operation) !== right &&
          (operation === "read" || PRESETS[preset].read === "viewers"),
      );
      const preset = others[index % others.length] as Preset;
      return {
        name: `${preset}.${operation}.${right}`,
        title: `${preset} with ${operation}: ${right}`,
        policy: { preset, overrides: { [operation]: right } },
        operations: operation === "read" ? OPERATIONS : [operation],
      };
    });
  }),
];

/**
 * The callers, in the order in which they clear a collection: those with fewer rights first, so that records are left for the others. The
 * canvas is not shared with the stranger by name, but with the whole organisation, so the stranger is a viewer.
 */
const CALLERS = ["guest", "stranger", "viewer", "editor", "owner"] as const;
type Caller = (typeof CALLERS)[number];

const nextTo = (caller: Caller) => CALLERS[(CALLERS.indexOf(caller) + 1) % CALLERS.length] as Caller;
const manages = (caller: Caller) => caller === "owner" || caller === "editor";

/**
 * The collection of one test. `pages` sends requests as each caller, and `ids` has the ids of the callers. `entries` has the records that
 * the collection should contain at the moment, by record id.
 */
interface Scene {
  pages: Record<Caller, Page>;
  ids: Record<Caller, string>;
  entries: Map<string, Entry>;
}

const RECORDS_EACH = 2;

/**
 * Creates the collections of `CASES`, each with two records by every caller, and returns them by name. Each collection has the policy
 * `collaborative` while the records are created, and then the policy of its test.
 */
async function scenes(target: Target): Promise<Map<string, Scene>> {
  const people = await cast(target);
  const most = LIMITS.policyEntries.value;
  const canvases = Array.from({ length: Math.ceil(CASES.length / most) }, (_, index) =>
    CASES.slice(index * most, (index + 1) * most),
  );
  const made = new Map<string, Scene>();
  for (const cases of canvases) {
    const tableOf = (policy: (each: Case) => CollectionPolicy) =>
      Object.fromEntries(cases.map((each) => [each.name, policy(each)]));
    const canvas = await collecting(
      target,
      tableOf(() => ({ preset: "collaborative" })),
      people,
    );
    const guest = open(target, canvas.slug, await guestOf(target, canvas));
    const pages = { ...canvas.pages, guest };
    const ids = {} as Scene["ids"];
    for (const caller of CALLERS) ids[caller] = await idOf(pages[caller]);
    await parallel(cases, async ({ name }) => {
      const entries = [];
      for (const caller of CALLERS) {
        for (let count = 0; count < RECORDS_EACH; count++) entries.push(await add(pages[caller], name, 1));
      }
      made.set(name, { pages, ids, entries: byId(entries) });
    });
    await govern(target, canvas, { collections: tableOf(({ policy }) => policy) });
  }
  return made;
}

/** Tests every preset and every right of each operation, for every caller, over HTTP. */
export function matrix(target: Target): void {
  describe("who may do what", () => {
    let all: Map<string, Scene>;
    before(async () => {
      all = await scenes(target);
    });

    for (const { name, title, policy, operations } of CASES) {
      it(title, async () => {
        const scene = all.get(name) as Scene;
        for (const caller of CALLERS) {
          await permitted(scene, caller, name, policy);
          if (operations.includes("read")) await listed(scene, caller, name, policy);
          for (const operation of operations) await tried(scene, caller, name, policy, operation);
        }
        if (!operations.includes("delete")) return;
        for (const caller of CALLERS) await cleared(scene, caller, name, policy);
      });
    }
  });
}

const standing = (caller: Caller, isAuthor: boolean) => ({ manages: manages(caller), isAuthor });

/** Asserts that `GET …/permissions` returns the rights that the policy gives the caller. */
async function permitted({ pages }: Scene, caller: Caller, name: string, policy: CollectionPolicy) {
  const expected = OPERATIONS.map((operation) => {
    const [own, any] = [true, false].map((isAuthor) => mayDo(policy, operation, standing(caller, isAuthor)));
    return [operation, { own, any }] as const;
  });
  answered(await pages[caller].get(`/collections/${name}/permissions`), Object.fromEntries(expected));
}

/** Asserts that the caller's list contains exactly the records that they may read. */
async function listed(
  { pages, ids, entries }: Scene,
  caller: Caller,
  name: string,
  policy: CollectionPolicy,
) {
  const page = pages[caller];
  if (!mayDo(policy, "read", standing(caller, true))) {
    return refused(await page.get(`/collections/${name}`), 403, "PERMISSION_DENIED");
  }
  const visible = [...entries.values()].filter(({ authorId }) =>
    mayDo(policy, "read", standing(caller, authorId === ids[caller])),
  );
  assert.deepEqual(byId(await entriesIn(page, name)), byId(visible), `the list of the ${caller}`);
}

/**
 * For the operation “create”, creates a record. For any other operation, tries it on a record of the caller and on a record of another
 * caller. Asserts each outcome, and updates the expected records in `scene`.
 */
async function tried(
  scene: Scene,
  caller: Caller,
  name: string,
  policy: CollectionPolicy,
  operation: Operation,
) {
  const { pages, ids, entries } = scene;
  const page = pages[caller];
  const root = `/collections/${name}`;
  if (operation === "create") {
    const answer = await page.post(root, 1);
    if (!mayDo(policy, "create", standing(caller, true))) refused(answer, 403, "PERMISSION_DENIED");
    else {
      const made = entryOf(answer, 201);
      assert.equal(made.authorId, ids[caller]);
      entries.set(made.id, made);
    }
    return;
  }
  for (const isAuthor of [true, false]) {
    // The record of another author is that of the next caller in `CALLERS`, so that no caller loses all records.
    const whose = isAuthor ? caller : nextTo(caller);
    const entry = [...entries.values()].find(({ authorId }) => authorId === ids[whose]);
    if (entry === undefined) continue;
    const path = `${root}/${entry.id}`;
    const what: string = `${operation} of the ${whose}'s record by the ${caller}`;
    const answer = await ask(page, path, operation);
    const expected = outcome(policy, operation, standing(caller, isAuthor));
    if (expected !== "done") {
      assert.equal(answer.status, expected, `${what}: ${answer.text}`);
      refused(answer, expected, expected === 403 ? "PERMISSION_DENIED" : "NOT_FOUND");
    } else if (operation === "delete") {
      answered(answer, { ok: true, attachmentCleanupFailed: 0 });
      entries.delete(entry.id);
    } else {
      const now = entryOf(answer);
      const values = { read: entry.value, update: 7, increment: Number(entry.value) + 1 };
      assert.deepEqual(
        [now.id, now.authorId, now.value],
        [entry.id, entry.authorId, values[operation]],
        what,
      );
      entries.set(now.id, now);
    }
  }
}

function ask(page: Page, path: string, operation: Exclude<Operation, "create">): Promise<Answer> {
  if (operation === "read") return page.get(path);
  if (operation === "update") return page.put(path, 7);
  return operation === "delete" ? page.delete(path) : page.post(`${path}/increment`, { by: 1 });
}

/**
 * Clears the collection as the caller. Asserts that the response is the number of records that the caller may delete, or 403. Removes the
 * deleted records from the expected ones.
 */
async function cleared(
  { pages, ids, entries }: Scene,
  caller: Caller,
  name: string,
  policy: CollectionPolicy,
) {
  const answer = await pages[caller].delete(`/collections/${name}`);
  if (!mayDo(policy, "delete", standing(caller, true))) return refused(answer, 403, "PERMISSION_DENIED");
  const gone = [...entries.values()].filter(({ authorId }) =>
    mayDo(policy, "delete", standing(caller, authorId === ids[caller])),
  );
  answered(answer, { deleted: gone.length, attachmentCleanupFailed: 0 });
  for (const { id } of gone) entries.delete(id);
}
