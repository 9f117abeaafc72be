import type { Json } from "../types.ts";
import type { Via } from "./activity.ts";

/** An entry of the audit log. */
export interface AuditEntry {
  id: string;
  at: number;
  actor: { id: string; email: string };
  act: string;
  canvasId: string | null;
  /** The id or e-mail address of the changed object. Null if only the canvas itself was changed. */
  target: string | null;
  /** The IP address of the client. */
  address: string;
  details: Json;
  /** The AI tool that acted for the actor: the name of the program, and the tool of `/mcp` that it called. Null if the actor acted themselves. */
  via: Via | null;
}

/** An entry of the audit log in the list. */
export interface ListedAuditEntry extends AuditEntry {
  /** The title that the canvas has now. Null if it is deleted for good, or if the entry is not about a canvas. */
  canvasTitle: string | null;
}

/** The response of `GET /api/admin/audit`, newest first; `nextCursor` is null on the last page. */
export interface AuditLog {
  entries: ListedAuditEntry[];
  nextCursor: string | null;
}
