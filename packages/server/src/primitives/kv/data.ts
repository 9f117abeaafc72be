import { LIMITS } from "@easel/protocol/limits";
import type { CanvasData } from "../../canvases/canvas-data.ts";
import { sql } from "../../drivers/db/db.ts";

/**
 * Declares the storage of KV: the keys with their values, and the number of keys per scope. In the number of bytes used, a value that is a
 * number counts as 8 bytes.
 */
export const kvData: CanvasData = {
  tables: {
    kv: { key: ["canvas_id", "scope", "key"] },
    kv_scopes: { key: ["canvas_id", "scope"] },
  },
  quotas: {
    "kv.keys.shared": {
      limit: LIMITS.kvKeysShared.value,
      used: (canvas) => sql`select keys as used from kv_scopes where canvas_id = ${canvas} and scope = ''`,
    },
    "kv.keys.user": {
      limit: LIMITS.kvKeysUser.value,
      used: (canvas) =>
        sql`select max(keys) as used from kv_scopes where canvas_id = ${canvas} and scope <> ''`,
    },
  },
  usage: (canvas) => sql`
    select sum(octet_length(key) + coalesce(octet_length(value), 8)) as bytes from kv where canvas_id = ${canvas}`,
};
