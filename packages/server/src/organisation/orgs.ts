import type { Organisation } from "@easel/protocol/management";
import { domainOf } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { optional, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

type OrgRow = Omit<Organisation, "domains" | "members">;

/** The organisations and their domains. */
export const orgData: CanvasData = { otherTables: ["orgs", "org_domains"] };

/** Lists all organisations, sorted by id. */
export async function listOrgs({ db }: Env): Promise<Organisation[]> {
  const [orgs, domains, members] = await Promise.all([
    db.all<OrgRow>`select id, name, created_at as "createdAt" from orgs order by id`,
    db.all<{ domain: string; org_id: string }>`select domain, org_id from org_domains order by domain`,
    // The expression with `substr` is the domain of an e-mail address. It uses only functions that both database engines have.
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

/** Finds an organisation by its id. Returns undefined if there is none. */
export async function findOrg(id: string, env: Env): Promise<Organisation | undefined> {
  return (await listOrgs(env)).find((org) => org.id === id);
}

/**
 * Returns the domains whose people belong to the organisation of an e-mail address: none without an organisation, and null, which stands for
 * all domains, without tenancy.
 */
export async function colleagueDomains(email: string, { db, config }: Env): Promise<(string | null)[]> {
  if (!config.tenancy) return [null];
  const rows = await db.all<{ domain: string }>`
    select domain from org_domains where org_id = (select org_id from org_domains where domain = ${domainOf(email)})`;
  return rows.map(({ domain }) => domain);
}

/** Whether two e-mail addresses belong to the same organisation. */
export async function areColleagues(one: string, other: string, env: Env): Promise<boolean> {
  const domains = await colleagueDomains(one, env);
  return domains.some((domain) => domain === null || domain === domainOf(other));
}

/**
 * Creates or replaces an organisation. If another organisation has one of the domains, changes nothing and returns
 * that domain; otherwise returns null.
 */
export async function putOrg(
  { id, name, domains }: { id: string; name: string; domains: string[] },
  { db, clock }: Env,
): Promise<string | null> {
  const claims = domains.map((domain) =>
    step(
      `@${domain}`,
      sql`
      insert into org_domains (domain, org_id) values (${domain}, ${id}) on conflict (domain) do nothing`,
    ),
  );
  // The row of the organisation is written first, so that concurrent changes wait for the lock on it.
  const outcome = await db.batch([
    sql`insert into orgs (id, name, created_at) values (${id}, ${name}, ${clock()})
      on conflict (id) do update set name = excluded.name`,
    optional`delete from org_domains where org_id = ${id}`,
    ...claims,
  ]);
  return outcome.startsWith("@") ? outcome.slice(1) : null;
}

/**
 * Deletes an organisation. The canvases that had it as their home organisation then have none. Returns false if there is no such
 * organisation.
 */
export async function deleteOrg(id: string, { db }: Env): Promise<boolean> {
  const steps = [
    sql`update orgs set name = name where id = ${id}`,
    optional`delete from org_domains where org_id = ${id}`,
    optional`update canvases set org_id = null where org_id = ${id}`,
    sql`delete from orgs where id = ${id}`,
  ];
  return (await db.withReserve.batch(steps)) === "done";
}
