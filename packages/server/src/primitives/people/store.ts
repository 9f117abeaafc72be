import type { Person } from "@easel/protocol/types";
import { asKeys, type Db, statementText } from "../../drivers/db/db.ts";
import { HIDDEN } from "../files/store.ts";
import type { ReadableData } from "./readable.ts";

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

const FIND = statementText(
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
