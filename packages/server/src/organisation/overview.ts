import type { InstanceOverview } from "@easel/protocol/management";
import type { Access } from "@easel/protocol/types";
import { nextTurn } from "../async/next-turn.ts";
import { PUBLICATION_STATUSES, publicationStatus, statusFieldsOf } from "../canvases/publication-status.ts";
import type { Env } from "../env.ts";
import { writeLastSeen } from "../identity/last-seen-store.ts";
import { instanceSpend } from "./ai/spend-report.ts";
import { listAttention } from "./attention.ts";
import { DAY_MS } from "./days.ts";

/** How many canvases are read in one statement, so that none takes long. */
const AT_ONCE = 1_000;
/** The days within which somebody must have used the service to be active. */
const ACTIVE_DAYS = 30;

/** The columns of a canvas that determine its state. */
type StateRow = Parameters<typeof statusFieldsOf>[0] & {
  id: string;
  deleted_at: number | null;
  access: Access;
};

/** Counts the canvases in each state. Reads a part of all at a time. */
async function countCanvases({ db, clock }: Env): Promise<InstanceOverview["canvases"]> {
  const counts = Object.fromEntries(
    [...PUBLICATION_STATUSES.map(({ status }) => status), "deleted"].map((status) => [status, 0]),
  ) as InstanceOverview["canvases"];
  for (let after = ""; ; ) {
    const rows = await db.all<StateRow>`
      select id, deleted_at, disabled_at, archived_at, revoked_at, version_id, expires_at, access
      from canvases where id > ${after} order by id limit ${AT_ONCE}`;
    const now = clock();
    for (const row of rows)
      counts[row.deleted_at === null ? publicationStatus(statusFieldsOf(row), now) : "deleted"] += 1;
    const last = rows.at(-1);
    if (last === undefined || rows.length < AT_ONCE) return counts;
    after = last.id;
    // SQLite reads within the turn: other requests come in between.
    await nextTurn();
  }
}

/** Sums up the instance for its administrators. */
export async function instanceOverview(env: Env): Promise<InstanceOverview> {
  const { db, clock } = env;
  // Who has come within the last minute counts, too. If this cannot be written, the next attempt writes it.
  await writeLastSeen(env).catch(() => {});
  const [canvases, [sums], ai, attention] = await Promise.all([
    countCanvases(env),
    db.all<Record<"total" | "deactivated" | "active" | "bundles" | "files", number | string | null>>`
      select (select count(*) from users) as total,
        (select count(*) from users where deactivated_at is not null) as deactivated,
        (select count(*) from last_seen where seen_at >= ${clock() - ACTIVE_DAYS * DAY_MS}) as active,
        (select sum(bytes) from bundle_bytes) as bundles, (select sum(bytes + removed) from file_bytes) as files`,
    instanceSpend(env),
    listAttention(env),
  ]);
  return {
    canvases,
    people: {
      total: Number(sums?.total),
      deactivated: Number(sums?.deactivated),
      active30: Number(sums?.active),
    },
    bytes: { bundles: Number(sums?.bundles ?? 0), files: Number(sums?.files ?? 0) },
    ai,
    attention,
  };
}
