import { type CollectionPolicy, isResourceName, type Operation } from "@easel/protocol/policy";
import type { Rights } from "@easel/protocol/types";
import { rightsOf } from "../../access/rights.ts";
import { entryOf, policyOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import type { RuntimeCaller } from "../primitive.ts";
import { RecordStore } from "./store.ts";

/** A collection that has a policy, with the rights of the caller and the store of the records. */
export interface Opened {
  policy: CollectionPolicy;
  rights: Rights;
  records: RecordStore;
}

/** Throws 404 `COLLECTION_NOT_CONFIGURED` with a message that names the collection and says what to do. */
const refuseUnknown = (name: string): never =>
  refuse("COLLECTION_NOT_CONFIGURED", {
    message:
      `The policy of this canvas has no collection \`${name}\`. The owner or an editor adds it to the policy in easel.json and deploys, ` +
      "or changes the policy by the API.",
  });

/**
 * Reads the policy of a collection and the rights of the caller. Throws 400 `INVALID_BODY` for an invalid name, 404
 * `COLLECTION_NOT_CONFIGURED` without a policy, and 403 `PERMISSION_DENIED` if the caller may not perform `operation` even on their own
 * records. If `operation` is null, the rights are not checked.
 */
export async function openCollection(
  { canvas, role, user }: RuntimeCaller,
  name: string,
  operation: Operation | null,
  env: Env,
): Promise<Opened> {
  if (!isResourceName(name)) refuse("INVALID_BODY", { message: "That is no name of a collection." });
  const { collections } = await policyOf(canvas, env);
  const policy = entryOf(collections, name) ?? refuseUnknown(name);
  const rights = rightsOf(policy, role);
  if (operation !== null && !rights[operation].own) refuse("PERMISSION_DENIED");
  return { policy, rights, records: new RecordStore(env.db, canvas.id, name, user.id, policy.unique) };
}
