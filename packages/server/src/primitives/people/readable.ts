import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Right } from "@easel/protocol/types";
import { hasPermission } from "../../access/permissions.ts";
import { rightsOf } from "../../access/rights.ts";
import { capabilitiesOn } from "../../canvases/capabilities.ts";
import type { Env } from "../../env.ts";
import { needsKv, scopeRights, scopesOf } from "../files/scope.ts";
import type { Call } from "../primitive.ts";

/**
 * Names of collections or of file scopes. In those of `any`, the caller may read everything. In those of `own`, the caller may read only
 * what they have left there themselves.
 */
export interface Readable {
  any: string[];
  own: string[];
}

/** What a caller may read on a canvas. */
export interface ReadableData {
  collections: Readable;
  scopes: Readable;
  submissions: Right;
}

/**
 * Splits names of collections or file scopes into `any` and `own` by the caller's right to read. Omits names where the caller may read
 * nothing.
 */
const sorted = (rights: [name: string, read: Right | undefined][]): Readable => ({
  any: rights.flatMap(([name, read]) => (read?.any ? name : [])),
  own: rights.flatMap(([name, read]) => (read?.own && !read.any ? name : [])),
});

/**
 * Returns what a caller may read on a canvas. It depends on the policy document, on the caller's role, and on the capabilities that are on.
 */
export function readableBy(call: Call, policy: RuntimePolicy, env: Env): ReadableData {
  const { canvas, role } = call;
  const on = capabilitiesOn(canvas, env);
  const hasKv = on.has("kv");
  const collections = hasKv ? Object.entries(policy.collections ?? {}) : [];
  const scopes = on.has("files") ? scopesOf(policy).filter((scope) => hasKv || !needsKv(scope)) : [];
  return {
    collections: sorted(collections.map(([name, entry]) => [name, rightsOf(entry, role).read])),
    scopes: sorted(scopes.map((scope) => [scope, scopeRights(scope, policy, role)?.read])),
    submissions: {
      own: hasKv && hasPermission(call, "canSubmit"),
      any: hasKv && hasPermission(call, "canManageSubmissions"),
    },
  };
}
