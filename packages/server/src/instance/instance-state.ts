import { SetupError } from "../config/setting-types.ts";
import { sql, type Tables } from "../drivers/db/db.ts";

/**
 * What the row of the instance says of a database: the id of the instance, or, in words in its place, that no service may start on it. `copied`: it
 * was copied, and the copy has taken its place. `unfinished`: it is a copy that has not been finished.
 */
export interface InstanceState {
  is: "used" | "copied" | "unfinished";
  id: string;
}

const WORDS = { copied: "copied away from ", unfinished: "unfinished copy of " };

/** Reads what is stored in the place of the id. */
export function stateOf(stored: string): InstanceState {
  for (const is of ["copied", "unfinished"] as const)
    if (stored.startsWith(WORDS[is])) return { is, id: stored.slice(WORDS[is].length) };
  return { is: "used", id: stored };
}

/** Reads the row of the instance; null if there is none. */
export async function readInstance(tables: Pick<Tables, "all">): Promise<InstanceState | null> {
  const [row] = await tables.all<{ id: string }>`select id from instance`;
  return row === undefined ? null : stateOf(row.id);
}

/** Writes the row of the instance. `now` is the time in epoch milliseconds. */
export async function writeInstance(
  { is, id }: InstanceState,
  now: number,
  tables: Pick<Tables, "run">,
): Promise<void> {
  const text = is === "used" ? id : WORDS[is] + id;
  await tables.run(
    ...sql`insert into instance (singleton, id, joined_at) values (1, ${text}, ${now})
      on conflict (singleton) do update set id = excluded.id, joined_at = excluded.joined_at`,
  );
}

/** @throws SetupError if no service may start on the database, which `place` names. */
export function requireUsed({ is }: InstanceState, place: string): void {
  if (is === "unfinished")
    throw new SetupError(
      `The database ${place} is a copy that has not been finished: run \`easel-server copy\` again with the settings of the instance that is copied.`,
    );
  if (is === "copied")
    throw new SetupError(
      `The database ${place} was copied, and the copy has taken its place: start the service with the settings of the copy. To go back to this ` +
        "one, without what was stored in the copy, run `easel-server join`.",
    );
}
