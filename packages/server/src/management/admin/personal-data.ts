import { z } from "zod";
import type { Env } from "../../env.ts";
import { email } from "../../http/field-schemas.ts";
import { refuse } from "../../http/refusal.ts";
import { utcDay } from "../../organisation/days.ts";
import { erasePerson } from "../../organisation/erasure.ts";
import { canvasesToHandOver, handOver, teamsToHandOver } from "../../organisation/handover.ts";
import { exportPerson } from "../../organisation/person-export.ts";
import { deactivateWithoutCanvases } from "../../organisation/user-details.ts";
import { act, Download, download, ok } from "../act.ts";
import { erasureResult } from "../responses/admin.ts";
import { newOwner, refuseSelf, userOf } from "./users.ts";

const Erase = z.object({
  transferTo: email.optional().meta({
    description:
      "The address of the member who gets the canvases and teams. Required if the person owns any.",
  }),
});

/** Sorts after every id. */
const AFTER_ALL = "z";

function zipOf(person: { id: string; email: string }, env: Env): Download {
  const headers = {
    "content-disposition": `attachment; filename="person-${utcDay(env.clock())}.zip"`,
    "x-content-type-options": "nosniff",
  };
  return new Download(headers, exportPerson(person, env));
}

/** Whether a person owns canvases that are not deleted, or has created teams. */
async function ownsSomething({ id }: { id: string }, env: Env): Promise<boolean> {
  const [{ entries }, teams] = await Promise.all([
    canvasesToHandOver(id, { cursor: AFTER_ALL, limit: 1 }, env),
    teamsToHandOver(id, env),
  ]);
  return entries.length + teams.length > 0;
}

/** The endpoint with which people get what the service stores of them (docs/people.md#export-of-a-person). */
export const ownData = [
  act({
    name: "me.export",
    method: "GET",
    path: "/api/me/export",
    summary: "Returns what the service stores of the caller, as a zip.",
    details: "See [export of a person](../people.md#export-of-a-person). The audit log records it.",
    allow: "session",
    audited: true,
    response: download("application/zip"),
    errors: ["UNAVAILABLE"],
    run: async ({ user }, env) => ({ body: zipOf(user, env), audit: { target: user.id } }),
  }),
];

/** The endpoints with which administrators answer people who ask for their data, or for its end (docs/people.md). */
export const personalData = [
  act({
    name: "user.export",
    method: "GET",
    path: "/api/admin/users/{id}/export",
    summary: "Returns what the service stores of a user, as a zip.",
    details:
      "It has what they have written into canvases, too, and is meant for them. See [export of a person](../people.md#export-of-a-person). The audit log records it.",
    allow: "administrator",
    audited: true,
    response: download("application/zip"),
    errors: ["UNAVAILABLE"],
    run: async ({ params: { id } }, env) => ({
      body: zipOf(await userOf(id, env), env),
      audit: { target: id },
    }),
  }),
  act({
    name: "user.erase",
    method: "DELETE",
    path: "/api/admin/users/{id}",
    summary: "Erases a user for good: what is theirs alone, their name and their address.",
    details:
      "What they own goes to `transferTo` first; what cannot is `left`, and then nothing is erased. Records, files and submissions stay, by a deleted person. It cannot be undone. A request that was interrupted can be repeated. See [erasure](../people.md#erasure-of-a-person).",
    allow: "administrator",
    affects: "people",
    query: Erase,
    response: ok(erasureResult),
    async run({ user: self, address, params: { id }, query: { transferTo }, signal }, env) {
      refuseSelf(id, self);
      const person = await userOf(id, env);
      const result = { moved: 0, left: [], remaining: 0, erased: true };
      const audit = { target: id, details: { transferTo: transferTo ?? null } };
      if (person.erased_at !== null) return { body: result, audit };
      if (await ownsSomething(person, env)) {
        if (transferTo === undefined)
          refuse("INVALID_BODY", {
            field: "transferTo",
            message: "They own canvases or teams: name in `transferTo` who gets them.",
          });
        const to = await newOwner(transferTo, "transferTo", env);
        if (to.id === id)
          refuse("INVALID_BODY", { field: "transferTo", message: "The new owner must be somebody else." });
        const order = { teams: true, deactivate: true, reason: null };
        const { moved, left, remaining } = await handOver(
          person,
          to,
          order,
          { actor: self, address },
          signal(),
          env,
        );
        Object.assign(result, { moved, left, remaining });
        if (left.length > 0 || remaining > 0) return { body: { ...result, erased: false }, audit };
      }
      await deactivateWithoutCanvases(id, self.id, env);
      const erased = await erasePerson(person, signal(), env);
      return { body: { ...result, erased }, audit };
    },
  }),
];
