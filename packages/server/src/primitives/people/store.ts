import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Person, Right } from "@easel/protocol/types";
import { rightsOf } from "../../access/rights.ts";
import { hasPermission } from "../../access/roles.ts";
import { capabilitiesOn } from "../../canvases/capabilities.ts";
import { asKeys, type Db, sqlText } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { needsKv, scopeRights, scopesOf } from "../files/scope.ts";
import { HIDDEN } from "../files/store.ts";
import type { RuntimeCaller } from "../primitive.ts";

/**
 * Names of collections or of file scopes. In those of `any`, the caller may read everything. In those of `own`, the caller may read only
 * what they have left there themselves.
 */
export interface Readable {
  any: string[];
  own: string[];
}

/** What a caller may read on a canvas. */
export interface ReadableData {
  collections: Readable;
  scopes: Readable;
  submissions: Right;
}

/**
 * Splits names of collections or file scopes into `any` and `own` by the caller's right to read. Omits names where the caller may read
 * nothing.
 */
const sorted = (rights: [name: string, read: Right | undefined][]): Readable => ({
  any: rights.flatMap(([name, read]) => (read?.any ? name : [])),
  own: rights.flatMap(([name, read]) => (read?.own && !read.any ? name : [])),
});

/**
 * Returns what a caller may read on a canvas. It depends on the policy document, on the caller's role, and on the capabilities that are on.
 */
export function readableBy(caller: RuntimeCaller, policy: RuntimePolicy, env: Env): ReadableData {
  const { canvas, role } = caller;
  const on = capabilitiesOn(canvas, env);
  const hasKv = on.has("kv");
  const collections = hasKv ? Object.entries(policy.collections ?? {}) : [];
  const scopes = on.has("files") ? scopesOf(policy).filter((scope) => hasKv || !needsKv(scope)) : [];
  return {
    collections: sorted(collections.map(([name, entry]) => [name, rightsOf(entry, role).read])),
    scopes: sorted(scopes.map((scope) => [scope, scopeRights(scope, policy, role)?.read])),
    submissions: {
      own: hasKv && hasPermission(caller, "canSubmit"),
      any: hasKv && hasPermission(caller, "canManageSubmissions"),
    },
  };
}

/*
 * One statement finds all people. It looks each person up once in each collection and file scope that the caller may read, by an index, and
 * stops at the first row. So its duration does not depend on how much a person has left where the caller may not read. It uses subqueries
 * that return one value instead of `exists` and joins, which PostgreSQL might execute by reading whole tables.
 */

/**
 * Returns an SQL condition for names of collections or scopes, which are a JSON parameter. It is true if `table` has a row that meets
 * `condition` for at least one of the names.
 */
const anyOf = (table: string, condition: string) =>
  `(select 1 from json_each(?) as names
    where (select 1 from ${table} where canvas_id = ? and ${condition} limit 1) is not null limit 1) is not null`;

const RECORD = "collection = names.key and author_id = people.key";
const FILE = `scope = names.key and uploaded_by = people.key`;
const SHOWN = `not (${HIDDEN})`;

const FIND = sqlText(
  "select people.key as id, coalesce((select name from users where id = people.key),",
  // The id of a guest is `guest:` and the id of the invitation.
  "  (select name from invites where id = substr(people.key, 7))) as name,",
  '(select avatar_url from users where id = people.key) as "avatarUrl" from json_each(?) as people',
  `where ${anyOf("records", RECORD)}`,
  `or (people.key = ? and ${anyOf("records", RECORD)})`,
  "or ((people.key = ? or cast(? as integer) = 1)",
  "  and (select 1 from submissions where canvas_id = ? and user_id = people.key limit 1) is not null)",
  `or ${anyOf("files", `${FILE} and ${SHOWN}`)}`,
  `or ${anyOf("files", `${FILE} and owner_id = ? and ${SHOWN}`)}`,
);

/**
 * Returns the people, in any order, who have left something on a canvas that the caller may read. Finds only people whose ids are in `ids`.
 */
export function findPeople(
  ids: string[],
  canvas: string,
  caller: string,
  { collections, scopes, submissions }: ReadableData,
  db: Db,
): Promise<Person[]> {
  return db.all<Person>(
    FIND,
    asKeys(ids),
    ...[asKeys(collections.any), canvas],
    ...[caller, asKeys(collections.own), canvas],
    ...[submissions.own ? caller : null, Number(submissions.any), canvas],
    ...[asKeys(scopes.any), canvas],
    ...[asKeys(scopes.own), canvas, caller],
  );
}
