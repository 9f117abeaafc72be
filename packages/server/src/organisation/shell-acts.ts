import { SHELL } from "../access/principal.ts";
import { announceAccess } from "../canvases/open-connections.ts";
import type { Env } from "../env.ts";
import { listNodes } from "../instance/nodes.ts";
import { type AuditRow, idAt, logAuditRow } from "./audit.ts";

/** The number of entries that are read at once. The others follow at the next look. */
const AT_ONCE = 1_000;

/** How much later than others an entry may come into the database, because its id was made earlier, or by a slower clock, in milliseconds. */
const LATE_MS = 60_000;

/**
 * Looks, with each renewal of the lease of this process, for what the shell has recorded in the audit log (`easel-server admin`, which is another
 * process and has no bus). The oldest node then has all open connections rechecked, and writes the entries into the log. Resolves with a function
 * that ends this.
 */
export async function startShellActs(env: Env): Promise<() => void> {
  const { db, clock, lease } = env;
  let after = idAt(clock() - LATE_MS);
  let known = new Set<string>();

  /** Reads what the shell has recorded, the oldest entries first. */
  const read = () => db.all<AuditRow>`
    select id, at, actor_id, actor_email, act, canvas_id, target, address, details, via from audit
    where actor_id = ${SHELL.id} and id > ${after} order by id limit ${AT_ONCE}`;

  function remember(rows: AuditRow[]): void {
    const late = idAt(clock() - LATE_MS);
    known = new Set([...known, ...rows.map(({ id }) => id)].filter((id) => id > late));
    after = (rows.length === AT_ONCE ? rows.at(-1)?.id : undefined) ?? late;
  }

  const isOldest = async () => {
    const [oldest] = await listNodes({ db });
    return oldest === undefined || oldest.id === lease.id;
  };

  async function look(): Promise<void> {
    const rows = await read();
    const found = rows.filter(({ id }) => !known.has(id));
    if (found.length > 0 && (await isOldest())) {
      await announceAccess({ people: found.flatMap(({ target }) => target ?? []) }, env);
      for (const row of found) logAuditRow(row, env);
    }
    remember(rows);
  }

  // What was done before the start concerns no open connection, and was logged by the process of then.
  remember(await read());
  return lease.afterDatabase(look);
}
