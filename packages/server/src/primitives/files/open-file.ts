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
 * Returns the file that the path names. Throws 404 `NOT_FOUND` if the caller cannot read it, 403 `CAPABILITY_DISABLED` for an attachment
 * while KV is off, and 403 `PERMISSION_DENIED` if the operation is not allowed.
 */
export async function openFile(
  call: Call,
  operation: Exclude<Operation, "create" | "increment">,
  env: Env,
): Promise<StoredFile> {
  const { canvas, role, user } = call;
  const { id = "" } = call.params;
  const file =
    (isId(id) ? await new FileStore(env.db, canvas.id).find(id) : undefined) ?? refuse("NOT_FOUND");
  const rights = scopeRights(file.scope, await policyOf(canvas, env), role) ?? refuse("NOT_FOUND");
  const isOwn = file.owner_id === user.id;
  if (!allows(rights.read, isOwn)) refuse("NOT_FOUND");
  if (needsKv(file.scope)) await call.requireCapability("kv");
  return allows(rights[operation], isOwn) ? file : refuse("PERMISSION_DENIED");
}
