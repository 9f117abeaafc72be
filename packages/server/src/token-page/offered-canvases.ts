import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";

/** The maximum number of canvases that the form offers. Tokens for others can be created through the management API. */
const OFFERED = 500;

/** A canvas that a token can be restricted to. */
export interface OfferedCanvas {
  id: string;
  title: string;
  slug: string;
}

/** Lists the canvases that a user owns or edits, by title. */
export const listManaged = (user: User, { db }: Env): Promise<OfferedCanvas[]> =>
  db.all<OfferedCanvas>`
    select id, title, slug from canvases
    where deleted_at is null and id in (select id from canvases where owner_id = ${user.id}
      union select canvas_id from roles where email = ${user.email} and role = 'editor')
    order by lower(title), id limit ${OFFERED}`;
