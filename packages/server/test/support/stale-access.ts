import assert from "node:assert/strict";
import { share, stage } from "@easel/conformance/fixture";
import { open } from "@easel/conformance/page";
import { startTwoNodes } from "./nodes-on-postgres.ts";
import type { Scope } from "./service.ts";

const CLIENTS = 6;

/** How requests were decided that were under way while it was known whether the caller had access. */
interface Decisions {
  decided: number;
  /** Requests that were let in although the access had ended before they began. */
  stale: number;
  /** Requests that were refused although the access had been given before they began. */
  refused: number;
}

/**
 * Gives somebody access to a canvas and takes it on one node, while clients read and write with it on another, until `enough` requests are
 * decided. A request is decided if it begins after an answer that changes the access, and ends before the next change begins.
 */
export async function decideOnTwoNodes(scope: Scope, enough: number): Promise<Decisions> {
  const [one, other] = await startTwoNodes(scope);
  const canvas = await stage(one.target);
  await open(one.target, canvas.slug, canvas.people.owner).put("/kv/note", 1);
  const page = open(other.target, canvas.slug, canvas.people.viewer);
  const decisions = { decided: 0, stale: 0, refused: 0 };
  /** Whether the viewer has access; null while that is being changed. `since` counts the changes. */
  let access: boolean | null = true;
  let since = 0;
  let isOver = false;

  async function ask(write: boolean): Promise<void> {
    const [expected, began] = [access, since];
    const { status } = await (write ? page.put("/kv/user/note", 2) : page.get("/kv/note"));
    assert.ok(status === 200 || (status >= 401 && status <= 404), `status ${status}`);
    if (expected === null || began !== since) return;
    decisions.decided++;
    if (expected && status !== 200) decisions.refused++;
    if (!expected && status === 200) decisions.stale++;
  }

  const client = async (index: number) => {
    for (let turn = index; !isOver; turn++) await ask(turn % 2 === 0);
  };
  const clients = Array.from({ length: CLIENTS }, (_, index) => client(index));
  try {
    while (decisions.decided < enough) {
      const next: boolean = !access;
      access = null;
      since++;
      await share(one.target, canvas, "private", next ? { viewer: "viewer" } : {});
      access = next;
      // Lets each client send a few requests that are decided.
      const until = decisions.decided + 2 * CLIENTS;
      while (decisions.decided < until) await ask(false);
    }
  } finally {
    isOver = true;
    await Promise.all(clients);
  }
  return decisions;
}
