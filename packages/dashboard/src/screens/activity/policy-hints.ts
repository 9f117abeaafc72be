import type { Operation, RuntimePolicy } from "@easel/protocol/policy";
import type { Call } from "../../api/types.ts";
import { isolated } from "../../kit/words.ts";
import type { EntryName } from "../backend/policy/document.ts";
import { sentenceOf } from "../backend/policy/sentences.ts";

/** Returns the entry of the policy that decides about a call, or null if none does, or the log does not say which. */
export function entryOf({ route }: Pick<Call, "route">): EntryName | null {
  const [, section, encoded = ""] = route.split("/");
  if (section !== "collections" && section !== "connections") return null;
  try {
    const name = decodeURIComponent(encoded);
    // The log has a placeholder for a name that is too long.
    return name === "" || name.startsWith("{") ? null : { section, name };
  } catch {
    return null;
  }
}

/** Returns what a call to a collection does to its records, as a policy names it. */
function operationOf({ method, route }: Pick<Call, "method" | "route">): Operation | null {
  const [, , , , last] = route.split("/");
  if (route.endsWith("/phase")) return null;
  if (last === "increment") return "increment";
  const byMethod: Record<string, Operation> = {
    GET: "read",
    POST: "create",
    PUT: "update",
    DELETE: "delete",
  };
  return Object.hasOwn(byMethod, method) ? (byMethod[method] as Operation) : null;
}

/**
 * Returns who may do what a call to a collection attempted, by the policy as it is now, such as "“ideas”: People change their own; owner and
 * editors change any." Null for a call that is not about records of a collection that the policy has.
 */
export function rightOf(call: Pick<Call, "method" | "route">, policy: RuntimePolicy | null): string | null {
  const [at, operation] = [entryOf(call), operationOf(call)];
  const known = policy?.collections ?? {};
  if (at?.section !== "collections" || operation === null || !Object.hasOwn(known, at.name)) return null;
  const entry = known[at.name] as NonNullable<(typeof known)[string]>;
  const phase = Object.keys(entry.phases ?? {}).length === 0 ? "" : " A phase can say otherwise.";
  return `“${isolated(at.name)}”: ${sentenceOf(entry, operation, "records")}${phase}`;
}
