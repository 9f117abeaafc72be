import { asKeys, type Db } from "../drivers/db/db.ts";

/** Returns the names of people and of guests of a canvas by id, for its owner and editors. Ids of nobody are missing. */
export async function namesOf(people: string[], canvasId: string, db: Db): Promise<Map<string, string>> {
  if (people.length === 0) return new Map();
  const ids = asKeys([...new Set(people)]);
  // The id of a guest is `guest:` and the id of the invitation.
  const rows = await db.all<{ id: string; name: string }>`
    select id, name from users where id in (select key from json_each(${ids}))
    union all select 'guest:' || id, name from invites where 'guest:' || id in (select key from json_each(${ids}))
      and canvas_id = ${canvasId}`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}
