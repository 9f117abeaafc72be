import type { Permission } from "@easel/protocol/types";
import { hasPermission } from "../access/permissions.ts";
import { refuse } from "../http/refusal.ts";
import type { Admitted } from "../pipeline/visit.ts";

/** Throws 403 `PERMISSION_DENIED` if the caller lacks a permission. Does not check the capability that the permission needs. */
export function requirePermission(call: Admitted, name: Permission): void {
  if (!hasPermission(call, name)) refuse("PERMISSION_DENIED");
}
