import type { Operation } from "@easel/protocol/policy";
import { allows } from "../../access/rights.ts";
import { policyOf } from "../../canvases/policy.ts";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import type { Call } from "../primitive.ts";
import { needsKv, scopeRights } from "./scope.ts";
import { FileStore, type StoredFile } from "./store.ts";

/**
 * Returns the file whose id is in the path. Throws 404 `NOT_FOUND` if the caller cannot read it, and 403 `PERMISSION_DENIED` if the caller
 * may not do the operation. Throws 403 `CAPABILITY_DISABLED` if the file is attached to a record and KV is off.
 */
export async function openFile(
  call: Call,
  operation: Exclude<Operation, "create" | "increment">,
  env: Env,
): Promise<StoredFile> {
  const { canvas, role, user } = call;
  const { id = "" } = call.params;
  const file = (isId(id) ? await new FileStore(env, canvas.id).find(id) : undefined) ?? refuse("NOT_FOUND");
  const rights = scopeRights(file.scope, await policyOf(canvas, env), role) ?? refuse("NOT_FOUND");
  const isOwn = file.owner_id === user.id;
  if (!allows(rights.read, isOwn)) refuse("NOT_FOUND");
  if (needsKv(file.scope)) call.requireCapability("kv");
  return allows(rights[operation], isOwn) ? file : refuse("PERMISSION_DENIED");
}
