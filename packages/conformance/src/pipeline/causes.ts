import type { ErrorCode } from "@easel/protocol/errors";
import { disable, mayPublish } from "../admin.ts";
import { cast, type Stage, stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { archive, expire, publish, remove } from "../lifecycle.ts";
import type { Person, Target } from "../target.ts";

/** The password of the canvases that have one in these tests. */
export const PASSWORD = "open, sesame";

/** The reasons to refuse a caller access to a canvas, each with status and code, in the order of the specification (4.1, step 3). */
export const CAUSES = [
  { cause: "deleted", status: 404, code: "NOT_FOUND" },
  { cause: "archived", status: 404, code: "ARCHIVED" },
  { cause: "disabled", status: 403, code: "DISABLED" },
  { cause: "guest of another canvas", status: 404, code: "NOT_INVITED" },
  { cause: "no route in", status: 404, code: "OWNER_ONLY" },
  { cause: "expired", status: 404, code: "SHARE_EXPIRED" },
  { cause: "password", status: 403, code: "PASSWORD_REQUIRED" },
  { cause: "public link", status: 403, code: "STATIC_ONLY" },
] as const satisfies { cause: string; status: number; code: ErrorCode }[];

/** One reason to refuse a caller access to a canvas. */
export type Cause = (typeof CAUSES)[number]["cause"];

/** A canvas to which a chosen set of `CAUSES` applies, and a person whom each of these causes keeps out. */
export interface Scene {
  canvas: Stage;
  refused: Person;
}

/**
 * Creates a canvas to which these causes of a refusal apply. The backend of the canvas is off, so that a caller who passes all checks of
 * access is then refused with `CAPABILITY_DISABLED`.
 */
export async function afflicted(target: Target, causes: Cause[]): Promise<Scene> {
  const has = (cause: Cause) => causes.includes(cause);
  const canvas = await stage(target, {
    people: await cast(target),
    access: has("public link")
      ? "public_link"
      : has("guest of another canvas") && !has("no route in")
        ? "whole_org"
        : "private",
    terms: { password: has("password") ? PASSWORD : null },
    switches: null,
  });
  const { owner, viewer, stranger } = canvas.people;
  const refused = has("guest of another canvas")
    ? await guestOf(target, await stage(target, { people: canvas.people }))
    : has("no route in")
      ? stranger
      : viewer;
  // A deleted canvas keeps its slug only if it has had a version.
  if (has("deleted")) await publish(target, canvas, "home");
  if (has("expired")) await expire(target, canvas);
  if (has("no route in") && has("public link")) await mayPublish(target, owner, false);
  if (has("archived")) await archive(target, canvas);
  if (has("disabled")) await disable(target, canvas);
  if (has("deleted")) await remove(target, canvas);
  return { canvas, refused };
}
