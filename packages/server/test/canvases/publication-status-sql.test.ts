import assert from "node:assert/strict";
import { test } from "node:test";
import {
  hasStatus,
  PUBLICATION_STATUSES,
  publicationStatus,
  statusFieldsOf,
} from "../../src/canvases/publication-status.ts";
import { joined, sql } from "../../src/drivers/db/db.ts";
import { onDatabases } from "./../drivers/databases.ts";

const NOW = 1_000_000;

await onDatabases("the publication status in SQL", (db) => {
  const times = [null, 1];
  const rows = times.flatMap((disabled_at) =>
    times.flatMap((archived_at) =>
      times.flatMap((revoked_at) =>
        [null, "v-1"].flatMap((version_id) =>
          [null, 0, NOW - 1, NOW, NOW + 1].map((expires_at) => ({
            disabled_at,
            archived_at,
            revoked_at,
            version_id,
            expires_at,
            access: "private" as const,
          })),
        ),
      ),
    ),
  );

  test("exactly the condition of the status that the function returns holds, for every row", async () => {
    assert.equal(rows.length, 80);
    for (const row of rows) {
      const holds: string[] = [];
      for (const { status } of PUBLICATION_STATUSES) {
        const found = await db.all(
          ...joined([
            sql`select 1 from (select cast(${row.disabled_at} as bigint) as disabled_at,
              cast(${row.archived_at} as bigint) as archived_at, cast(${row.revoked_at} as bigint) as revoked_at,
              cast(${row.version_id} as text) as version_id, cast(${row.expires_at} as bigint) as expires_at) as canvases where`,
            hasStatus(status, NOW),
          ]),
        );
        if (found.length > 0) holds.push(status);
      }
      assert.deepEqual(holds, [publicationStatus(statusFieldsOf(row), NOW)], JSON.stringify(row));
    }
  });
});
