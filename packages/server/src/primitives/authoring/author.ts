import type { Access } from "@easel/protocol/types";
import type { Member } from "../../access/principal.ts";
import { checkSharing, type SharingTarget } from "../../canvases/publishing/sharing-settings.ts";
import type { Sharing } from "../../canvases/sharing.ts";
import { type Authored, findManaged, type ManagedRow } from "../../canvases/store.ts";
import type { Config } from "../../config/config.ts";
import { isId } from "../../crypto/ids.ts";
import { sql, step } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { isAdmin } from "../../identity/identify.ts";
import { type RuntimeCaller, requirePermission } from "../primitive.ts";

/** Returns the person who calls. Throws 401 `NOT_AUTHENTICATED` for any other caller. */
const memberOf = ({ user }: Pick<RuntimeCaller, "user">): Member =>
  user.kind === "member" ? user : refuse("NOT_AUTHENTICATED");

/**
 * Throws 401 `NOT_AUTHENTICATED` for a guest, and 403 `PERMISSION_DENIED` for any other caller who may not publish canvases from the page.
 */
export function requireAuthor(caller: RuntimeCaller): void {
  memberOf(caller);
  requirePermission(caller, "canCreateCanvas");
}

/**
 * Returns the id of the canvas to whose own canvases a page is limited: the canvas of the page. Returns null if the page may change all
 * canvases of its viewer (`SERVICE_AUTHORING_SCOPE`).
 */
export const onlyCanvasOf = ({ canvas }: RuntimeCaller, { config }: Env): string | null =>
  config.authoringScope === "canvas" ? canvas.id : null;

/**
 * Finds a canvas that the caller manages as its owner, an editor or, if the scope of authoring is the person, an administrator. Throws 404
 * `NOT_FOUND` for any other canvas.
 */
export async function managedBy(caller: RuntimeCaller, id: string, env: Env): Promise<ManagedRow> {
  const { user } = caller;
  const only = onlyCanvasOf(caller, env);
  const row = isId(id) ? await findManaged(id, user, only === null && isAdmin(user, env), env) : undefined;
  return row !== undefined && (only === null || row.authored_from === only) ? row : refuse("NOT_FOUND");
}

const DAY_MS = 24 * 60 * 60 * 1000;

const dayOf = (time: number) => Math.floor(time / DAY_MS);

const refuseDaily = (limit: number): never =>
  refuse("QUOTA_EXCEEDED", {
    scope: "user_daily",
    limit,
    message: `You have published ${limit} canvases today, which is as many as you may.`,
  });

const refuseTotal = (limit: number): never =>
  refuse("QUOTA_EXCEEDED", {
    scope: "user_total",
    limit,
    message: `You have published ${limit} canvases, which is as many as you may.`,
  });

/**
 * Returns the two quotas on the number of canvases that a person publishes from pages: per day and in total. The step of the daily quota
 * also increments the day's count, which the step of the total quota then reads. The batch must lock the person's row first.
 */
export function authoringQuotas(userId: string, { config, clock }: Env): Pick<Authored, "quotas" | "refuse"> {
  const { authoringDailyMax: daily, authoringTotalMax: total } = config;
  return {
    quotas: [
      step(
        "user_daily",
        sql`
        insert into authored_days (user_id, day, canvases)
        select cast(${userId} as text), cast(${dayOf(clock())} as integer), 1 where cast(${daily} as bigint) > 0
        on conflict (user_id, day) do update set canvases = authored_days.canvases + 1
        where authored_days.canvases < cast(${daily} as bigint)`,
      ),
      step(
        "user_total",
        sql`
        update users set name = name where id = ${userId}
          and (select sum(canvases) from authored_days where user_id = ${userId}) <= cast(${total} as bigint)`,
      ),
    ],
    refuse: (quota) => (quota === "user_daily" ? refuseDaily(daily) : refuseTotal(total)),
  };
}

/**
 * Throws 429 `QUOTA_EXCEEDED` if a person may not publish another canvas today or in total. The batch that creates the canvas checks this
 * again.
 */
export async function requireRoom(userId: string, { db, config, clock }: Env): Promise<void> {
  const { authoringDailyMax: daily, authoringTotalMax: total } = config;
  const row = await db.get<{ today: number | null; ever: number | null }>`
    select sum(case when day = ${dayOf(clock())} then canvases else 0 end) as today, sum(canvases) as ever
    from authored_days where user_id = ${userId}`;
  if (Number(row?.today ?? 0) >= daily) refuseDaily(daily);
  if (Number(row?.ever ?? 0) >= total) refuseTotal(total);
}

/** The value of `access` in a request of a page, which says who may read a canvas. `password` means a public link with a password. */
export type Rung = Access | "password";

/** The sharing settings that a canvas will have after a request. */
export interface SharingState {
  access: Access;
  hasPassword: boolean;
  /** Epoch milliseconds, or null if the canvas never expires. */
  expiresAt: number | null;
}

const reject = (message: string): never => refuse("INVALID_BODY", { message });

/** Converts the general access in a request to the stored value: `password` is stored as `public_link`. */
export const storedAccess = (rung: Rung): Access => (rung === "password" ? "public_link" : rung);

/**
 * Whether the configuration allows these sharing settings for canvases that pages publish. It allows a public link with a password if it
 * allows `public_link` or `password`, and `private` also if it allows `specific_people`.
 */
function isAllowed({ access, hasPassword }: SharingState, { authoringRungs }: Config): boolean {
  if (authoringRungs.includes(access)) return true;
  if (access === "private") return authoringRungs.includes("specific_people");
  return access === "public_link" && hasPassword && authoringRungs.includes("password");
}

function requireExpiry({ expiresAt }: SharingState, { config, clock }: Env): void {
  const { authoringRequireExpiry, authoringMaxExpiryDays: days } = config;
  if (expiresAt === null) {
    if (authoringRequireExpiry) reject("`expiresAt` is required on this instance.");
  } else if (days > 0 && expiresAt > clock() + days * DAY_MS) {
    reject(`\`expiresAt\` must lie within ${days} days.`);
  }
}

/**
 * Checks the sharing settings `state` that a canvas will have after a request; `given` has the settings in the request (specification 4.8).
 * Returns as `org` the home organisation to set, or undefined. Throws 400 `INVALID_BODY`, 403 `PUBLIC_LINKS_DISABLED`, `PUBLIC_NOT_ALLOWED`
 * or `PUBLIC_LINK_OWNER_GATED`, and 409 `ORG_REQUIRED`.
 */
export async function requireSharing(
  canvas: SharingTarget,
  caller: Pick<RuntimeCaller, "user">,
  state: SharingState,
  given: { access?: Rung | undefined; expiresAt?: number | null | undefined },
  env: Env,
): Promise<Pick<Sharing, "org">> {
  if (!isAllowed(state, env.config))
    reject("This instance does not allow this `access` to authored canvases.");
  if (given.access === "password" && !state.hasPassword) reject("`access` `password` needs a `password`.");
  const settings = { access: state.access, expiresAt: given.expiresAt };
  const { org } = await checkSharing(canvas, memberOf(caller), settings, env);
  requireExpiry(state, env);
  return { org };
}
