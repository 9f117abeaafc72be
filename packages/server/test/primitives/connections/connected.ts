import assert from "node:assert/strict";
import { manage, type Setup, type Stage, stage } from "@easel/conformance/fixture";
import type { Target } from "@easel/conformance/target";
import { freshProfile } from "../../organisation/connection-stores.ts";

/** A canvas to which a profile is granted. */
export interface Connected extends Stage {
  profile: string;
}

/** The people who send the five calls that a canvas may have at a time. Each sends two at most. */
export const FIVE_CALLERS = ["viewer", "viewer", "editor", "editor", "owner"] as const;

/** Sends a request below `/api/admin/connections/` as an administrator. Fails the test unless the request succeeds. */
export async function administer(target: Target, method: string, path: string, body?: object) {
  const admin = await target.signIn(target.admin);
  const answer = await manage(target, admin, method, `/api/admin/connections/${path}`, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer;
}

/** Creates or replaces a profile for `https://api.test`. */
export const putProfile = (target: Target, profile: string, fields: object = {}) =>
  administer(target, "PUT", profile, {
    origin: "https://api.test",
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    ...fields,
  });

/** Grants a profile to a canvas: to guests as well, and with `isPublic` to visitors of a Public link. */
export const grant = (target: Target, { id, profile }: Pick<Connected, "id" | "profile">, isPublic = false) =>
  administer(target, "PUT", `${profile}/grants/${id}`, { public: isPublic, guests: true });

/** Creates a canvas whose viewers may use a profile of its own. */
export async function connected(target: Target, setup: Setup = {}): Promise<Connected> {
  const profile = freshProfile();
  await putProfile(target, profile);
  const canvas = await stage(target, {
    ...setup,
    switches: { connectionsAudience: "viewers", ...setup.switches },
  });
  await grant(target, { ...canvas, profile });
  return { ...canvas, profile };
}
