import { joined, type NamedStep, optional, type Sql, sql, step } from "../drivers/db/db.ts";
import { isNobodyElses, keepAddress } from "./person-addresses.ts";

/** The person to rename: their id and their address until now. */
interface Renamed {
  id: string;
  email: string;
}

/**
 * Builds the steps of a batch that give a person another address, and with it everything that is kept by address: their roles on canvases and
 * their memberships of teams. Where the new address has a role already, the stronger one stays. The outcome is "address_taken" if somebody else
 * has the address, in their row or in the directory. Entries of the audit log keep the address of their time. The former address is kept for
 * exports and erasures. `now` is in epoch milliseconds.
 */
export const renamingSteps = (
  { id, email }: Renamed,
  to: string,
  now: number,
): NamedStep<"address_taken" | null>[] => [
  step(
    "address_taken",
    joined([
      sql`update users set email = ${to} where id = ${id} and email = ${email} and`,
      isNobodyElses(to, id),
    ]),
  ),
  keepAddress(id, email, now),
  ...moved(
    sql`insert into canvas_people (canvas_id, email, role)
      select canvas_id, cast(${to} as text), role from canvas_people where email = ${email}
      on conflict (canvas_id, email) do update set role =
        case when excluded.role < canvas_people.role then excluded.role else canvas_people.role end`,
    sql`delete from canvas_people where email = ${email}`,
  ),
  // The owner of a canvas is not on its list.
  optional`delete from canvas_people where email = ${to} and canvas_id in (select id from canvases where owner_id = ${id})`,
  ...moved(
    sql`insert into team_members (team_id, email)
      select team_id, cast(${to} as text) from team_members where email = ${email} on conflict do nothing`,
    sql`delete from team_members where email = ${email}`,
  ),
];

const moved = (...statements: Sql[]) => statements.map((statement) => ({ name: null, statement }));
