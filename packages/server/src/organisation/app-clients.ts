import type { ClientInUse, TokensInUse } from "@easel/protocol/management";
import type { Env } from "../env.ts";
import type { Paged } from "../http/query.ts";

interface Row {
  id: string;
  name: string;
  host: string | null;
  verified: number;
  people: number;
  tools: number;
  usedAt: number | null;
}

/** Reads a page of the programs of which people have connected tools, by the ids of the programs, which are above `after`. */
export async function listClients(
  { after, limit }: { after: string; limit: number },
  { db, clock }: Env,
): Promise<Paged<ClientInUse>> {
  const rows = await db.all<Row>`
    select client_id as id, max(client_name) as name, max(client_host) as host, min(verified) as verified,
      count(distinct user_id) as people, count(*) as tools, max(used_at) as "usedAt"
    from apps where client_id > ${after} and client_id <> id and (expires_at is null or expires_at > ${clock()})
    group by client_id order by client_id limit ${limit + 1}`;
  const entries = rows.slice(0, limit).map(({ verified, people, tools, ...row }) => ({
    ...row,
    verified: verified === 1,
    people: Number(people),
    tools: Number(tools),
  }));
  return { entries, nextCursor: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/** Returns how many people have created tokens for AI tools themselves. */
export async function tokensInUse({ db, clock }: Env): Promise<TokensInUse> {
  const now = clock();
  // The index of the condition on the end would have all tools.
  const [row] = await db.all<{ people: number; tools: number; usedAt: number | null }>`
    select count(distinct user_id) as people, count(*) as tools, max(used_at) as "usedAt"
    from apps where client_id = id and coalesce(expires_at, ${now + 1}) > ${now}`;
  return { people: Number(row?.people), tools: Number(row?.tools), usedAt: row?.usedAt ?? null };
}
