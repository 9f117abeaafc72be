import type { User } from "../../access/principal.ts";
import { issueTicket, openTicket, type Ticket } from "../../crypto/tickets.ts";
import type { Env } from "../../env.ts";

/** What one upload may do: deploy one folder to one canvas, for the person of a connected tool. */
export interface Upload {
  /** The id of the connected tool. */
  app: string;
  /** The id of the canvas. */
  canvas: string;
  /** The id of the version that must be the published one; null for any. */
  expectedVersion: string | null;
  /** Whether the canvas was made for the upload, so that it keeps its title. */
  isNew: boolean;
}

/** The path of uploads. */
export const UPLOAD_PATH = "/mcp/upload";

/** The time within which an upload must begin, in milliseconds. */
export const UPLOAD_MS = 15 * 60_000;

/** The start of the text of a ticket, by which it is known where it is found. */
const PREFIX = "easel_upload_";

/** Returns the ticket of an upload. Its bearer may deploy once, within 15 minutes. */
export const issueUpload = (user: User, upload: Upload, env: Env): string =>
  PREFIX + issueTicket("upload", user, upload, env, UPLOAD_MS);

/** Reads the ticket in an `Authorization` header. Returns null if there is none that is valid. */
export function readUpload(authorization: string | undefined, env: Env): Ticket<Upload> | null {
  const [, text] = /^bearer +easel_upload_(\S+)$/i.exec(authorization ?? "") ?? [];
  return text === undefined ? null : openTicket<Upload>("upload", text, env);
}
