import { LIMITS } from "@easel/protocol/limits";
import type { Json, Permission } from "@easel/protocol/types";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { type Caller, requirePermission } from "../primitive.ts";
import { SubmissionStore } from "./store.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;

/** Throws 413 `VALUE_TOO_LARGE`. */
export const tooLarge = (): never => refuse("VALUE_TOO_LARGE");

/** Returns the JSON text of a value, as it is stored. Throws 413 `VALUE_TOO_LARGE` if it is longer than 64 KiB. */
export function valueText(json: Json): string {
  const value = JSON.stringify(json);
  // The stored text can be longer than the text that was sent: `1e20` is stored as 21 digits.
  return Buffer.byteLength(value) > LIMITS.submissionBytes.value ? tooLarge() : value;
}

/**
 * Returns the store for the submissions of a collection. Throws 403 `PERMISSION_DENIED` if the caller lacks the permission, and 400
 * `INVALID_BODY` if the name of the collection is invalid.
 */
export function openSubmissions(
  permission: Permission,
  caller: Caller,
  collection: string,
  { db }: Env,
): SubmissionStore {
  requirePermission(caller, permission);
  if (!NAME.test(collection)) {
    refuse("INVALID_BODY", {
      message: "A collection's name has 1 to 80 letters, digits, dots, underscores or hyphens.",
    });
  }
  return new SubmissionStore(db, caller.canvas.id, collection);
}
