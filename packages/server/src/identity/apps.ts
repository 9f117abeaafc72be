import { LIMITS } from "@easel/protocol/limits";
import type { TokenScope } from "@easel/protocol/management";
import type { User } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { lockUser } from "../canvases/owner-quotas.ts";
import { newId } from "../crypto/ids.ts";
import {
  asKeys,
  type Dependent,
  joined,
  type NamedStep,
  type Optional,
  optional,
  type Sql,
  sql,
  step,
} from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { refuse, refuseAnonymous } from "../http/refusal.ts";
import type { Caller } from "./credential.ts";
import { lockCredential } from "./lock-credential.ts";
import { newAppToken } from "./tokens.ts";

/** The connected tools, of which some are for one canvas, their refresh tokens, and the canvases that they have made. */
export const appData: CanvasData = {
  tables: {
    app_refresh_tokens: {
      key: ["secret_hash"],
      where: "app_id in (select id from apps where canvas_id = ?)",
    },
    apps: { key: ["id"] },
    made_canvases: { key: ["canvas_id", "user_id", "client_id"] },
  },
  otherTables: ["used_tickets"],
  people: {
    apps: {
      ids: ["user_id"],
      erased: "removed",
      exported: {
        part: "connected-tools",
        columns: [
          "id",
          "client_id",
          "client_name",
          "scope",
          "canvas_id",
          "created_at",
          "used_at",
          "expires_at",
        ],
        order: ["id"],
      },
    },
    made_canvases: { ids: ["user_id"], erased: "removed", exported: null },
  },
  cleanUps: [
    {
      what: "connected tools that have expired",
      keptMs: 0,
      async remove(until, { db }) {
        await db.withReserve.batch(endingSteps(sql`expires_at <= ${until}`));
      },
    },
    {
      what: "connected tools that were not used for as long as a refresh token is valid",
      keptMs: 0,
      async remove(until, { db }) {
        const idle = await db.all<{ id: string }>`
          select distinct app_id as id from app_refresh_tokens as expired where expires_at <= ${until}
            and not exists (select 1 from app_refresh_tokens where app_id = expired.app_id and expires_at > ${until})`;
        const ids = asKeys(idle.map(({ id }) => id));
        await db.withReserve.batch(endingSteps(sql`id in (select key from json_each(${ids}))`));
      },
    },
    {
      what: "expired access tokens of connected tools",
      keptMs: 0,
      remove: (until, { db }) =>
        db.withReserve.run`delete from tokens where app_id is not null and expires_at <= ${until}`,
    },
    {
      what: "spent refresh tokens of connected tools",
      keptMs: 0,
      remove: (until, { db }) =>
        db.withReserve
          .run`delete from app_refresh_tokens where spent_at is not null and expires_at <= ${until}`,
    },
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

/** What a person allows a program, for a new connected tool. */
export interface AppFields extends Omit<App, "id" | "clientId" | "stepsUp" | "usedAt"> {
  /** What identifies the program; null for a token that the person creates, without a program behind it. */
  clientId: string | null;
  /** The host to which the person is sent back; null if there is none. */
  redirectHost: string | null;
  /** Whether a document or the configuration of the service vouches for the program. */
  verified: boolean;
  /** When the connected tool ends, in epoch milliseconds; null for never. */
  expiresAt: number | null;
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
  const row = await db.getCached<AppRow & Dependent & { expires_at: number | null }>`
    select apps.id, client_id, client_name, client_host, apps.scope, apps.canvas_id, own_only, confirms, apps.used_at,
      apps.expires_at, 'person ' || apps.user_id as depends_on
    from tokens join apps on apps.id = tokens.app_id
    where tokens.id = ${tokenId}`;
  return row === undefined || (row.expires_at !== null && row.expires_at <= clock()) ? null : appOf(row);
}

/** How long after a program has renewed its access token the token counts as new, in milliseconds. */
const JUST_RENEWED_MS = 30_000;

/** Whether an access token of a connected tool is one that its program has just got for a refresh token. */
export async function isJustRenewed(tokenId: string, { db, clock }: Env): Promise<boolean> {
  const row = await db.get`
    select 1 as found from tokens join apps on apps.id = tokens.app_id
    where tokens.id = ${tokenId} and tokens.created_at > apps.created_at and tokens.created_at > ${clock() - JUST_RENEWED_MS}`;
  return row !== undefined;
}

/** Returns a connected tool of a person. Returns null if it has ended or is another person's. */
export async function appOfPerson(id: string, user: { id: string }, { db, clock }: Env): Promise<App | null> {
  const row = await db.get<AppRow>`
    select id, client_id, client_name, client_host, scope, canvas_id, own_only, confirms, used_at from apps
    where id = ${id} and user_id = ${user.id} and (expires_at is null or expires_at > ${clock()})`;
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

/** Records that a program has made a canvas for a person. */
export async function recordMade(
  { clientId }: App,
  userId: string,
  canvasId: string,
  { db }: Env,
): Promise<void> {
  await db.run`insert into made_canvases (canvas_id, user_id, client_id) values (${canvasId}, ${userId}, ${clientId})
    on conflict do nothing`;
}

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

/**
 * Builds the statements that end the connected tools for which the condition `which` on `apps` is true, with their access and refresh tokens.
 * Refresh tokens are first: an exchange that is under way is waited for, so that the access token of it ends, too. Which canvases the programs
 * have made stays known, for the next time that the person connects them.
 */
export const endingSteps = (which: Sql): Optional[] => {
  const those = joined([sql`where app_id in (select id from apps where`, which, sql`)`]);
  return [
    optional(...joined([sql`delete from app_refresh_tokens`, those])),
    optional(...joined([sql`delete from tokens`, those])),
    optional(...joined([sql`delete from apps where`, which])),
  ];
};

/**
 * Makes a new connected tool of a person. Returns its id and the statement that stores it, which changes no row if the person has no role on
 * the canvas `canvasId`. It belongs after `appRoomSteps` in a batch.
 */
export function newApp(
  { id: userId, email }: Pick<User, "id" | "email">,
  fields: AppFields,
  { clock }: Pick<Env, "clock">,
): { id: string; insert: Sql } {
  const id = newId();
  const { clientId, clientName, clientHost, redirectHost, scope, canvasId, expiresAt } = fields;
  const insert = sql`
    insert into apps (id, user_id, client_id, client_name, client_host, redirect_host, verified, scope, canvas_id, own_only, confirms,
      created_at, expires_at)
    select cast(${id} as text), cast(${userId} as text), cast(${clientId ?? id} as text), cast(${clientName} as text),
      cast(${clientHost} as text), cast(${redirectHost} as text), ${fields.verified ? 1 : 0}, cast(${scope} as text),
      cast(${canvasId} as text), ${fields.ownOnly ? 1 : 0}, ${fields.confirms ? 1 : 0}, cast(${clock()} as bigint),
      cast(${expiresAt} as bigint)
    where cast(${canvasId} as text) is null or exists (select 1 from canvases where id = ${canvasId} and deleted_at is null
      and (owner_id = ${userId} or id in (select canvas_id from grants where email = ${email})))`;
  return { id, insert };
}

/**
 * Builds the steps of a batch that makes room for a new connected tool of a person: they lock the person, remove those that have expired, and
 * change no row, which rolls back the batch with the outcome "full", if the person has as many as one person may.
 */
export const appRoomSteps = (userId: string, { clock }: Pick<Env, "clock">): NamedStep<"full" | null>[] => [
  step("full", lockUser(userId)),
  ...endingSteps(sql`user_id = ${userId} and expires_at <= ${clock()}`),
  step(
    "full",
    sql`update users set name = name where id = ${userId}
      and (select count(*) from apps where user_id = ${userId}) < ${LIMITS.appsPerPerson.value}`,
  ),
];

/** Throws 409 `KEY_LIMIT` with the limit of connected tools. */
const refuseTooManyApps = (): never =>
  refuse("KEY_LIMIT", {
    message: `You have ${LIMITS.appsPerPerson.value} connected tools, which is as many as one person may have. End one on the page /account.`,
  });

/** Throws 409 `KEY_LIMIT` if a person has as many unexpired connected tools as one person may. */
export async function requireAppRoom({ id }: Pick<User, "id">, { db, clock }: Env): Promise<void> {
  const [row] = await db.all<{ apps: number }>`
    select count(*) as apps from apps where user_id = ${id} and (expires_at is null or expires_at > ${clock()})`;
  if (Number(row?.apps) >= LIMITS.appsPerPerson.value) refuseTooManyApps();
}

/**
 * Creates a connected tool that consists of an access token for `/mcp`, for programs that cannot ask for one. Returns the id of the connected
 * tool and the text of the token. Throws 404 `NOT_FOUND` if the person has no role on the canvas, 409 `KEY_LIMIT` if they have too many
 * connected tools, and 401 if the credential of the caller has ended.
 */
export async function createAppToken(
  caller: Pick<Caller<User>, "user" | "credential">,
  {
    name,
    ...fields
  }: Pick<AppFields, "scope" | "canvasId" | "ownOnly" | "confirms" | "expiresAt"> & { name: string },
  env: Env,
): Promise<{ id: string; token: string }> {
  const { user } = caller;
  const nobody = { clientId: null, clientHost: null, redirectHost: null, verified: false };
  const app = newApp(user, { ...nobody, clientName: name, ...fields }, env);
  const { token, insert } = newAppToken(app.id, fields, env);
  const steps = [...appRoomSteps(user.id, env), lockCredential(caller, env), app.insert, insert];
  const outcome = await env.db.batch(steps);
  if (outcome === "full") refuseTooManyApps();
  if (outcome === "ended") refuseAnonymous();
  return outcome === "done" ? { id: app.id, token } : refuse("NOT_FOUND");
}
