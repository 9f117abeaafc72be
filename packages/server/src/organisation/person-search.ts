import type { FoundPerson } from "@easel/protocol/management";
import type { User } from "../access/principal.ts";
import { joined, type Sql, sql, sqlText } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { colleagueDomains } from "./orgs.ts";

/** The maximum number of people that a search finds. */
const FOUND = 10;
/** The maximum number of words of a search that count. */
const WORDS = 5;
/** The maximum number of words of people of which a search reads the people. */
const CANDIDATES = 500;
/** The maximum numbers of canvases and of people that a search reads because the user manages or shares them. */
const CANVASES = 1_000;
const RELATED = 2_000;

type Searcher = Pick<User, "id" | "email">;
type FoundRow = FoundPerson & { word: Uint8Array };

/** The words with a prefix, as bytes: those from `from` on and before `to`. The byte 255 is in no text. */
interface Prefix {
  from: Uint8Array;
  to: Uint8Array;
}

function prefixOf(word: string): Prefix {
  const from = Buffer.from(word);
  return { from, to: Buffer.concat([from, Buffer.of(255)]) };
}

/** Returns the people of an e-mail domain, or of all if it is null, with the first of their words with the prefix, sorted by it. */
const peopleOf = (domain: string | null, { from, to }: Prefix): Sql =>
  joined([
    sql`select user_id, word from person_words where`,
    domain === null ? sql`` : sql`domain = ${domain} and`,
    sql`word >= ${from} and word < ${to} and (select 1 from person_words as earlier
        where earlier.user_id = person_words.user_id and earlier.word >= ${from} and earlier.word < person_words.word limit 1) is null
      order by word, user_id`,
    [sqlText(`limit ${CANDIDATES}`)],
  ]);

/**
 * Returns the people whose e-mail addresses the user sees anyway, with the first of their words with the prefix, which is null if they have
 * none: the members and creators of the user's teams, the owners of canvases that are shared with the user, and those with whom the canvases
 * are shared of which the user is the owner or an editor. Viewers do not see with whom a canvas is shared.
 */
const relatedTo = ({ id, email }: Searcher, { from, to }: Prefix): Sql => [
  sqlText(`
    select users.id as user_id, (select word from person_words
      where person_words.user_id = users.id and word >= ? and word < ? order by word limit 1) as word
    from (select distinct email from (
      select email from team_members where team_id in (
        select team_id from team_members where email = ? union select id from teams where created_by = ?)
      union all
      select users.email from team_members join teams on teams.id = team_id join users on users.id = created_by
        where team_members.email = ?
      union all
      select users.email from grants join canvases on canvases.id = canvas_id join users on users.id = owner_id
        where grants.email = ? and deleted_at is null
      union all
      select email from canvas_people where canvas_id in (
        select id from (select id from canvases where owner_id = ? and deleted_at is null
          order by updated_at desc, id desc limit ${CANVASES}) as owned
        union select canvas_id from roles join canvases on canvases.id = canvas_id
          where roles.email = ? and role = 'editor' and deleted_at is null)
      limit ${RELATED}) as seen) as related
    join users on users.email = related.email`),
  from,
  to,
  email,
  id,
  email,
  email,
  id,
  email,
];

/** Returns what else holds for the people who are found: that every other word of the search begins one of theirs, and that they are active. */
function conditions(user: Searcher, others: Prefix[], canvasId: string | null): Sql[] {
  const matches = others.map(
    ({ from, to }) =>
      sql`and (select 1 from person_words where person_words.user_id = users.id and word >= ${from} and word < ${to} limit 1) is not null`,
  );
  const notThere =
    canvasId === null
      ? []
      : [
          sql`and (select 1 from canvas_people where canvas_id = ${canvasId} and canvas_people.email = users.email) is null
            and users.id <> (select owner_id from canvases where id = ${canvasId})`,
        ];
  return [sql`deactivated_at is null and users.id <> ${user.id}`, ...matches, ...notThere];
}

/**
 * Finds at most 10 people to share something with: active members of the user's organisation, and people whose addresses the user sees in
 * teams and canvases. Without tenancy, everyone belongs to the organisation. Each word of `q` is the beginning of a word of the name or of the
 * e-mail address, in any letter case; without a word, nobody is found. Leaves out the user, and the owner and the people list of the canvas
 * `canvasId`, unless that is null. Sorts by the word that the longest word of `q` begins.
 *
 * The work is bounded, however many people there are: of those who have a word with the prefix, only the first 500 of a domain are read.
 */
export async function findPeople(
  user: Searcher,
  q: string,
  canvasId: string | null,
  env: Env,
): Promise<FoundPerson[]> {
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const [longest, ...others] = words.sort((one, other) => other.length - one.length).slice(0, WORDS);
  if (longest === undefined) return [];
  const prefix = prefixOf(longest);
  const sources = (await colleagueDomains(user.email, env)).map((domain) => peopleOf(domain, prefix));
  if (env.config.tenancy) sources.push(relatedTo(user, prefix));
  const found = await Promise.all(
    sources.map((source) =>
      env.db.all<FoundRow>(
        ...joined([
          sql`select users.email, users.name, avatar_url as "avatarUrl", found.word from (`,
          source,
          sql`) as found join users on users.id = found.user_id where found.word is not null and`,
          ...conditions(user, others.map(prefixOf), canvasId),
          [sqlText(`order by found.word, users.id limit ${FOUND}`)],
        ]),
      ),
    ),
  );
  const sorted = found.flat().sort((one, other) => Buffer.compare(one.word, other.word));
  const byEmail = new Map(sorted.map(({ email, name, avatarUrl }) => [email, { email, name, avatarUrl }]));
  return [...byEmail.values()].slice(0, FOUND);
}
