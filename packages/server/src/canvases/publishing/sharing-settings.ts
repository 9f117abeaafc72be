import { hash } from "node:crypto";
import type { User } from "../../access/principal.ts";
import { isId } from "../../crypto/ids.ts";
import type { Optional } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { mailSteps, sendsMail } from "../../mail/mail-queue.ts";
import { sharedMail } from "../../mail/mails.ts";
import {
  listShared,
  type PersonEntry,
  readSharing,
  type Sharing,
  setSharing,
  sharingRevision,
  visibleTeams,
} from "../sharing.ts";
import type { ManagedRow } from "../store.ts";
import { missingHome } from "./create.ts";

/**
 * Whether Public links are on for the instance. `setting` is the value of the row `publicLinks` in the table `instance_settings`, or null
 * if there is no such row.
 */
export const publicLinksOn = (setting: string | null, { config }: Env): boolean =>
  config.publicLinks && setting !== "false";

/**
 * Throws 403 if a canvas may not have a Public link. The code is `PUBLIC_LINKS_DISABLED` if Public links are off for the instance. If only
 * the canvas's owner may not use them, the code is `PUBLIC_NOT_ALLOWED` for a caller who is the owner, and `PUBLIC_LINK_OWNER_GATED` for an
 * editor (specification 7).
 */
async function requirePublicLinks(
  { owner_id, role }: Pick<ManagedRow, "owner_id" | "role">,
  env: Env,
): Promise<void> {
  const row = await env.db.get<{ can_publish_public: number; public_links: string | null }>`
    select can_publish_public, (select value from instance_settings where name = 'publicLinks') as public_links
    from users where id = ${owner_id}`;
  if (!publicLinksOn(row?.public_links ?? null, env)) refuse("PUBLIC_LINKS_DISABLED");
  if (row?.can_publish_public === 1) return;
  refuse(role === "owner" ? "PUBLIC_NOT_ALLOWED" : "PUBLIC_LINK_OWNER_GATED");
}

/** Changes to the sharing settings of a canvas. A field that is left out keeps its value, and null clears the field. */
export type SharingSettings = Omit<Sharing, "org">;

/** The fields of a canvas that are needed to check sharing settings. `role` is the role of the user who changes the settings. */
export type SharingTarget = Pick<ManagedRow, "id" | "owner_id" | "owner_email" | "org_id" | "role">;

/** Hashes the password that a user sets, which takes about 50 ms. Returns null (clear the password) and undefined (keep the password) unchanged. */
export async function passwordHashOf(
  password: string | null | undefined,
  user: Pick<User, "id">,
  { passwords }: Env,
): Promise<string | null | undefined> {
  return typeof password === "string" ? passwords.hash(password, user.id) : password;
}

/**
 * Checks the ids of teams with which a user wants to share a canvas. A team is allowed if the user created it, if the user is a member of
 * it, or if the canvas is shared with it already. Throws 400 `INVALID_BODY` for any other id.
 */
async function requireTeams(ids: string[], canvasId: string, user: User, env: Env): Promise<void> {
  const [shared, visible] = await Promise.all([
    listShared([canvasId], env),
    visibleTeams(ids.filter(isId), user, env),
  ]);
  const known = new Set([...(shared.get(canvasId)?.teams ?? []).map(({ id }) => id), ...visible]);
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) refuse("INVALID_BODY", { message: `There is no team ${unknown.join(", ")}.` });
}

/**
 * Checks sharing settings that an owner or editor wants to save, and returns the settings to pass to `setSharing`. Settings that are left out
 * are not checked. Throws 400 `INVALID_BODY`, 403 `PUBLIC_LINKS_DISABLED`, `PUBLIC_NOT_ALLOWED` or `PUBLIC_LINK_OWNER_GATED`, and 409
 * `ORG_REQUIRED`.
 */
export async function checkSharing(
  canvas: SharingTarget,
  user: User,
  settings: SharingSettings,
  env: Env,
): Promise<Sharing> {
  const { access, expiresAt, people, teams } = settings;
  if (people?.some(({ email }) => email === canvas.owner_email)) {
    refuse("INVALID_BODY", { message: "The owner needs no place on the list." });
  }
  if (access === "public_link") await requirePublicLinks(canvas, env);
  const org = access === "whole_org" ? await missingHome(canvas, env) : undefined;
  if (typeof expiresAt === "number" && expiresAt <= env.clock()) {
    refuse("INVALID_BODY", { message: "`expiresAt` must lie in the future." });
  }
  if (teams !== undefined) {
    const ids = teams.map(({ id }) => id);
    await requireTeams(ids, canvas.id, user, env);
  }
  return { ...settings, org };
}

/** Returns the steps that mail those with whom a canvas is shared now and was not before. A person gets one mail for a canvas, also if added again soon. */
const sharedMails = (
  canvas: Pick<ManagedRow, "id" | "title" | "slug">,
  by: User,
  people: readonly PersonEntry[],
  before: readonly PersonEntry[],
  env: Env,
): Optional[] =>
  people
    .filter(({ email }) => email !== by.email && before.every((each) => each.email !== email))
    .flatMap((to) =>
      mailSteps(
        `shared-${canvas.id}-${hash("sha256", to.email, "base64url").slice(0, 16)}`,
        sharedMail(to, canvas, by, env),
        by.id,
        env,
      ),
    );

/**
 * Checks sharing settings and saves them in one batch. Returns false, and saves nothing, if `expected` is given and is not the revision of the
 * settings that the canvas has. Throws the same refusals as `checkSharing`, and 404 `NOT_FOUND` if the canvas is deleted.
 */
export async function saveSharing(
  canvas: SharingTarget & Pick<ManagedRow, "title" | "slug">,
  user: User,
  settings: SharingSettings,
  env: Env,
  expected?: string,
): Promise<boolean> {
  const checked = await checkSharing(canvas, user, settings, env);
  const isMailed = sendsMail(env) && checked.people !== undefined;
  const before = expected === undefined && !isMailed ? undefined : await readSharing(canvas.id, env);
  const read = expected === undefined ? undefined : before;
  if (read !== undefined && sharingRevision(read) !== expected) return false;
  const mails = isMailed ? sharedMails(canvas, user, checked.people ?? [], before?.people ?? [], env) : [];
  const outcome = await setSharing(canvas.id, checked, env, read, mails);
  if (outcome === "gone") refuse("NOT_FOUND");
  return outcome === "done";
}
