import type { TokenScope } from "@easel/protocol/management";
import type { CanvasData } from "../canvases/canvas-data.ts";
import type { Env } from "../env.ts";

/** The connected tools, of which some are for one canvas, their refresh tokens, and the canvases that they have made. */
export const appData: CanvasData = {
  tables: {
    apps: { key: ["id"] },
    made_canvases: { key: ["canvas_id", "user_id", "client_id"] },
  },
  otherTables: ["app_refresh_tokens", "used_tickets"],
  cleanUps: [
    {
      what: "used tickets",
      keptMs: 0,
      remove: (until, { db }) => db.withReserve.run`delete from used_tickets where expires_at <= ${until}`,
    },
  ],
};

/** A connected tool: what one person has allowed one program to do through the tools of `/mcp`. */
export interface App {
  id: string;
  /** What identifies the program. Several connected tools of a person can be of one program, for example on two computers. */
  clientId: string;
  clientName: string;
  /** The host of the document that describes the program; null if there is none. */
  clientHost: string | null;
  scope: TokenScope;
  /** The id of the only canvas that it may use; null if it is not limited to one. */
  canvasId: string | null;
  /** Whether it may use only canvases that its program has made for this person. */
  ownOnly: boolean;
  /** Whether the person is asked before a canvas is opened to more people. */
  confirms: boolean;
  /** Whether the program can ask for more rights by another authorization. A token that the person created cannot. */
  stepsUp: boolean;
  /** When it was last used, in epoch milliseconds; null if it never was. */
  usedAt: number | null;
}

interface AppRow {
  id: string;
  client_id: string;
  client_name: string;
  client_host: string | null;
  scope: TokenScope;
  canvas_id: string | null;
  own_only: number;
  confirms: number;
  used_at: number | null;
}

const appOf = (row: AppRow): App => ({
  id: row.id,
  clientId: row.client_id,
  clientName: row.client_name,
  clientHost: row.client_host,
  scope: row.scope,
  canvasId: row.canvas_id,
  ownOnly: row.own_only === 1,
  confirms: row.confirms === 1,
  stepsUp: row.client_id !== row.id,
  usedAt: row.used_at,
});

/** Returns the connected tool of an access token for `/mcp`. Returns null if it has ended. */
export async function appOfToken(tokenId: string, { db, clock }: Env): Promise<App | null> {
  const row = await db.get<AppRow>`
    select apps.id, client_id, client_name, client_host, apps.scope, apps.canvas_id, own_only, confirms, apps.used_at
    from tokens join apps on apps.id = tokens.app_id
    where tokens.id = ${tokenId} and (apps.expires_at is null or apps.expires_at > ${clock()})`;
  return row === undefined ? null : appOf(row);
}

/** Whether a program has made a canvas for a person. */
export const hasMade = async (
  { clientId }: App,
  userId: string,
  canvasId: string,
  { db }: Env,
): Promise<boolean> =>
  (await db.get<{ found: number }>`
    select 1 as found from made_canvases
    where canvas_id = ${canvasId} and user_id = ${userId} and client_id = ${clientId}`) !== undefined;

/** The shortest interval between two recorded uses of a connected tool, and so the precision of its last use, in milliseconds. */
const USE_INTERVAL_MS = 60_000;

/** Records that a connected tool was used, without waiting for the database. A failure is only logged. */
export function noteUse({ id, usedAt }: App, { db, clock, log }: Env): void {
  const now = clock();
  if (usedAt !== null && usedAt >= now - USE_INTERVAL_MS) return;
  db.withReserve.run`update apps set used_at = ${now} where id = ${id}`.catch((error) =>
    log.warn({ err: error }, "recording the use of a connected tool failed"),
  );
}
