import type { Permission } from "@easel/protocol/types";
import { allows } from "../../access/rights.ts";
import { policyOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { RECORD_ID } from "../collections/record-query.ts";
import { RecordStore } from "../collections/store.ts";
import { type RuntimeCaller, requirePermission } from "../primitive.ts";
import { isFixed, type Scope, scopeRights } from "./scope.ts";
import type { StoredFile } from "./store.ts";

/** The form fields of an upload, without the file. */
export interface Fields {
  scope?: string;
  group?: string;
  collection?: string;
  recordId?: string;
}

/** The scope, record and owner of an upload. */
export type Target = Pick<StoredFile, "scope" | "record_id" | "owner_id">;

const UPLOAD_PERMISSIONS = {
  shared: "canUploadSharedFiles",
  submission: "canUploadSubmissionFiles",
} as const satisfies Record<string, Permission>;

const reject = (message: string): never => refuse("INVALID_BODY", { message });

/**
 * Throws 400 `INVALID_BODY` if the fields name more than one target or an incomplete one. A target is `shared` or `submission`, a file
 * group, or a record.
 */
function requireOneTarget({ scope, group, collection, recordId }: Fields): void {
  if ([scope, group, collection ?? recordId].filter((each) => each !== undefined).length > 1)
    reject("`scope`, `group`, and `collection` with `recordId` exclude each other.");
  if ((collection === undefined) !== (recordId === undefined))
    reject("An attachment needs `collection` and `recordId`.");
  if (scope !== undefined && !isFixed(scope)) reject("`scope` is `shared` or `submission`.");
}

/**
 * Whether fields name a target, so that further fields can only make them invalid. Without any field the target is `shared`, but only once
 * no field can follow.
 */
export const namesTarget = ({ scope, group, collection, recordId }: Fields): boolean =>
  (scope ?? group) !== undefined || (collection !== undefined && recordId !== undefined);

/**
 * Returns the scope, record and owner of an upload. Throws 400 if fields exclude each other, and 403 if the caller may not upload there.
 * Throws 404 if the group or collection has no policy, or the caller cannot read the record.
 */
export async function targetOf(caller: RuntimeCaller, fields: Fields, env: Env): Promise<Target> {
  const { scope = "shared", group, collection, recordId = "" } = fields;
  if (collection !== undefined) caller.requireCapability("kv");
  requireOneTarget(fields);
  if (collection !== undefined) return attachmentTarget(caller, collection, recordId, env);
  if (group !== undefined) return groupTarget(caller, `group:${group}`, env);
  requirePermission(caller, UPLOAD_PERMISSIONS[scope as keyof typeof UPLOAD_PERMISSIONS]);
  return { scope: scope as Scope, record_id: null, owner_id: caller.user.id };
}

async function groupTarget({ canvas, role, user }: RuntimeCaller, scope: Scope, env: Env): Promise<Target> {
  const rights = scopeRights(scope, await policyOf(canvas, env), role) ?? refuse("NOT_FOUND");
  if (!rights.create.own) refuse("PERMISSION_DENIED");
  return { scope, record_id: null, owner_id: user.id };
}

async function attachmentTarget(
  { canvas, role, user }: RuntimeCaller,
  collection: string,
  recordId: string,
  env: Env,
): Promise<Target> {
  const scope: Scope = `record:${collection}`;
  const rights = scopeRights(scope, await policyOf(canvas, env), role) ?? refuse("NOT_FOUND");
  const records = new RecordStore(env.db, canvas.id, collection, user.id);
  const record = RECORD_ID.test(recordId) ? await records.get(recordId, rights.read) : undefined;
  const { id, author_id } = record ?? refuse("NOT_FOUND");
  if (!allows(rights.update, author_id === user.id)) refuse("PERMISSION_DENIED");
  return { scope, record_id: id, owner_id: author_id };
}
