import { optional, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

/** An organisation: those whose e-mail addresses lie in its domains. */
export interface Org {
  id: string;
  name: string;
  /** Lower case, in order. */
  domains: string[];
  /** Epoch milliseconds. */
  createdAt: number;
  /** How many of its people have signed in and are not deactivated. */
  members: number;
}

type OrgRow = Omit<Org, "domains" | "members">;

/** Every organisation, by id. */
export async function listOrgs({ db }: Env): Promise<Org[]> {
  const [orgs, domains, members] = await Promise.all([
    db.all<OrgRow>`select id, name, created_at as "createdAt" from orgs order by id`,
    db.all<{ domain: string; org_id: string }>`select domain, org_id from org_domains order by domain`,
    // What follows the `@` of an address, in words that both engines know.
    db.all<{ org_id: string; members: number }>`
      select org_id, count(*) as members from users
      join org_domains on domain = substr(email, length(rtrim(email, replace(email, '@', ''))) + 1)
      where deactivated_at is null group by org_id`,
  ]);
  const domainsOf = Map.groupBy(domains, ({ org_id }) => org_id);
  const membersOf = new Map(members.map((each) => [each.org_id, each.members]));
  return orgs.map((org) => ({
    ...org,
    domains: (domainsOf.get(org.id) ?? []).map(({ domain }) => domain),
    members: membersOf.get(org.id) ?? 0,
  }));
}

/** An organisation by id; undefined when there is none. */
export async function findOrg(id: string, env: Env): Promise<Org | undefined> {
  return (await listOrgs(env)).find((org) => org.id === id);
}

/**
 * Makes or changes an organisation: it has these domains and no others. Answers the first domain that another
 * organisation has, and then nothing has changed; null when it was done.
 */
export async function putOrg(
  { id, name, domains }: { id: string; name: string; domains: string[] },
  { db, clock }: Env,
): Promise<string | null> {
  const claims = domains.map(
    (domain) => sql`
      insert into org_domains (domain, org_id) values (${domain}, ${id}) on conflict (domain) do nothing`,
  );
  // The organisation first: its row is what changes of it at once wait for, one after the other.
  const { length: done } = await db.batch([
    sql`insert into orgs (id, name, created_at) values (${id}, ${name}, ${clock()})
      on conflict (id) do update set name = excluded.name`,
    optional`delete from org_domains where org_id = ${id}`,
    ...claims,
  ]);
  return domains[done - 2] ?? null;
}

/** Removes an organisation; canvases that were at home there have no home any more. False when there is none. */
export async function deleteOrg(id: string, { db }: Env): Promise<boolean> {
  const steps = [
    sql`update orgs set name = name where id = ${id}`,
    optional`delete from org_domains where org_id = ${id}`,
    optional`update canvases set org_id = null where org_id = ${id}`,
    sql`delete from orgs where id = ${id}`,
  ];
  return (await db.batch(steps)).length === steps.length;
}
