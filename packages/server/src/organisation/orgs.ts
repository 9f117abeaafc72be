import type { MovedPeople, Organisation, OrganisationPreview } from "@easel/protocol/management";
import { domainOf } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { asKeys, joined, optional, type Sql, sql, step } from "../drivers/db/db.ts";
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

/** How many people a preview names. */
const NAMED = 20;

/** Counts and names the active people with an e-mail address of one of `domains`, which is a statement. */
async function peopleOf(domains: Sql, { db }: Env): Promise<MovedPeople> {
  const found = joined([
    sql`from users where deactivated_at is null and id in (select user_id from person_words where domain in (`,
    domains,
    sql`))`,
  ]);
  const [people, [row]] = await Promise.all([
    db.all<MovedPeople["people"][number]>(
      ...joined([sql`select id, email, name`, found, sql`order by email limit ${NAMED}`]),
    ),
    db.all<{ count: number }>(...joined([sql`select count(*) as count`, found])),
  ]);
  return { count: Number(row?.count ?? 0), people };
}

/** Returns what it would mean if the organisation `id`, which need not exist, had the domains `domains`. Changes nothing. */
export async function previewOrg(id: string, domains: string[], env: Env): Promise<OrganisationPreview> {
  const { db } = env;
  const keys = asKeys(domains);
  const [joining, leaving, taken, canvases] = await Promise.all([
    peopleOf(
      sql`select key from json_each(${keys}) except select domain from org_domains where org_id = ${id}`,
      env,
    ),
    peopleOf(
      sql`select domain from org_domains where org_id = ${id} except select key from json_each(${keys})`,
      env,
    ),
    db.all<{ domain: string; id: string; name: string }>`
      select domain, orgs.id, name from org_domains join orgs on orgs.id = org_id
      where org_id <> ${id} and domain in (select key from json_each(${keys})) order by domain`,
    db.get<{ count: number }>`
      select count(*) as count from canvases where org_id = ${id} and access = 'whole_org' and deleted_at is null`,
  ]);
  return {
    joining,
    leaving,
    taken: taken.map(({ domain, ...org }) => ({ domain, org })),
    canvases: Number(canvases?.count ?? 0),
  };
}

/**
 * Creates or replaces an organisation. With `take`, other organisations lose its domains; otherwise, if another organisation has one of the domains, changes nothing and returns
 * that domain; otherwise returns null.
 */
export async function putOrg(
  { id, name, domains, take }: { id: string; name: string; domains: string[]; take: boolean },
  { db, clock }: Env,
): Promise<string | null> {
  const claims = domains.map((domain) =>
    step(
      `@${domain}`,
      take
        ? sql`insert into org_domains (domain, org_id) values (${domain}, ${id})
            on conflict (domain) do update set org_id = excluded.org_id`
        : sql`insert into org_domains (domain, org_id) values (${domain}, ${id})
            on conflict (domain) do nothing`,
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
