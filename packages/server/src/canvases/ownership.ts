import { type NamedStep, type Optional, optional, type Sql, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { changeCanvas } from "./change-canvas.ts";
import { type OwnerQuota, withinBytes, withinCanvases, withinFileBytes } from "./owner-quotas.ts";
import { handOverSlugs } from "./publishing/slug-claims.ts";

/** The owner of a canvas before it changes hands. */
interface Owner {
  id: string;
  email: string;
}

/**
 * Builds the steps that follow the change of a canvas's owner: the new owner with the address `email` leaves the people list, the former one
 * is an editor or has no role there, the slugs go along, and the quotas of the new owner are checked.
 */
const afterChange = (
  id: string,
  former: Owner,
  email: string,
  role: "editor" | null,
  env: Env,
): NamedStep<OwnerQuota | null>[] => [
  optional`delete from canvas_people where canvas_id = ${id} and email in (${email}, ${former.email})`,
  ...(role === null
    ? []
    : [
        optional`insert into canvas_people (canvas_id, email, role) values (${id}, ${former.email}, ${role})`,
      ]),
  handOverSlugs(id),
  step("canvases.person", withinCanvases(id, env)),
  step("bundles.bytes.person", withinBytes(id, env)),
  step("files.bytes.person", withinFileBytes(id, env)),
];

/**
 * Runs a change of ownership, and once more if the files of the new owner would exceed their quota and something that has been removed can make
 * room: from the canvas, which is the former owner's, and from the new owner's.
 */
async function withRoom<Outcome extends string>(
  former: Owner,
  email: string,
  env: Env,
  change: () => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await change();
  if (outcome !== "files.bytes.person") return outcome;
  let isMade = false;
  for (const owner of [sql`${former.id}`, sql`(select id from users where users.email = ${email})`])
    for (const { makeRoom } of env.canvasData) if (await makeRoom?.(owner, env)) isMade = true;
  return isMade ? change() : outcome;
}

/** Builds the step that locks the rows of the former and the new owner, so that their canvases are counted one change after the other. */
const lockBoth = (former: Owner, email: string): Sql =>
  sql`update users set name = name where id = ${former.id} or users.email = ${email}`;

/**
 * Makes the editor with the address `email` the owner, also of the slugs, and the owner an editor, in one batch. Changes nothing and returns "not_an_editor"
 * if there is no such editor with an active account. `mails` are steps of the same batch. Changes nothing and returns the name of a quota if the new owner would exceed this
 * quota.
 */
export async function transferCanvas(
  id: string,
  owner: Owner,
  email: string,
  env: Env,
  mails: Optional[] = [],
): Promise<"done" | "not_an_editor" | OwnerQuota> {
  const now = env.clock();
  const steps = [
    step("not_an_editor", lockBoth(owner, email)),
    step(
      "not_an_editor",
      changeCanvas(now)`
        owner_id = (select id from users where users.email = ${email})
      where id = ${id} and owner_id = ${owner.id} and deleted_at is null
        and exists (select 1 from users
          where users.email = ${email} and users.id <> owner_id and deactivated_at is null)
        and (select role from roles where canvas_id = ${id} and roles.email = ${email}) = 'editor'`,
    ),
    ...afterChange(id, owner, email, "editor", env),
    ...mails,
  ];
  return withRoom(owner, email, env, () => env.db.batch(steps));
}

/**
 * Makes the active member with the address `email` the owner of a canvas on behalf of an administrator, whatever role that member has there.
 * The former owner has the role `keeps` then. `recorded` is the statement that writes the entry of the audit log, and `mails` are the steps that
 * tell the new owner, in the same batch. Changes nothing and returns "gone" unless the canvas belongs to `owner` and is not deleted, and the new
 * owner is an active member. Changes nothing and returns the name of a quota if the new owner would exceed this quota.
 */
export async function reassignCanvas(
  id: string,
  owner: Owner,
  email: string,
  { keeps, recorded, mails }: { keeps: "editor" | null; recorded: Sql | null; mails: Optional[] },
  env: Env,
): Promise<"done" | "gone" | OwnerQuota> {
  const now = env.clock();
  const steps = [
    step("gone", lockBoth(owner, email)),
    step(
      "gone",
      changeCanvas(now)`
        owner_id = (select id from users where users.email = ${email})
      where id = ${id} and owner_id = ${owner.id} and deleted_at is null
        and exists (select 1 from users
          where users.email = ${email} and users.id <> owner_id and deactivated_at is null)`,
    ),
    ...afterChange(id, owner, email, keeps, env),
    ...(recorded === null ? [] : [step("gone", recorded)]),
    ...mails,
  ];
  return withRoom(owner, email, env, () => env.db.batch(steps));
}
