import type { Access } from "@easel/protocol/types";
import type { User } from "../../access/principal.ts";
import { checkShareSettings, type ShareTarget } from "../../canvases/publishing/share-settings.ts";
import type { Sharing } from "../../canvases/sharing.ts";
import type { Config } from "../../config/config.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The value of `access` in a request of a page, which says who may read a canvas. `password` means a public link with a password. */
export type Rung = Access | "password";

/** The sharing settings that a canvas will have after a request. */
export interface ShareState {
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
function isAllowed({ access, hasPassword }: ShareState, { authoringRungs }: Config): boolean {
  if (authoringRungs.includes(access)) return true;
  if (access === "private") return authoringRungs.includes("specific_people");
  return access === "public_link" && hasPassword && authoringRungs.includes("password");
}

function requireExpiry({ expiresAt }: ShareState, { config, clock }: Env): void {
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
export async function requireShare(
  canvas: ShareTarget,
  user: User,
  state: ShareState,
  given: { access?: Rung | undefined; expiresAt?: number | null | undefined },
  env: Env,
): Promise<Pick<Sharing, "org">> {
  if (!isAllowed(state, env.config))
    reject("This instance does not allow this `access` to authored canvases.");
  if (given.access === "password" && !state.hasPassword) reject("`access` `password` needs a `password`.");
  const settings = { access: state.access, expiresAt: given.expiresAt };
  const { org } = await checkShareSettings(canvas, user, settings, env);
  requireExpiry(state, env);
  return { org };
}
