/** The collection of the answers. Change its name to start a new survey without any answers. */
export const COLLECTION = "outing";

const PAGE = 1000;

/**
 * Returns the choice, the comment and the name in a submission. Each of them is a string, even if another program has stored something
 * else.
 */
export function contentOf({ value }) {
  const { choice, comment, name } = Object(value);
  return {
    choice: String(choice ?? ""),
    comment: String(comment ?? ""),
    name: String(name || "Somebody"),
  };
}

/** Reads everyone's answers, the latest first. */
export async function readAll() {
  const all = [];
  let cursor = null;
  do {
    const page = await easel.submissions.list(COLLECTION, { cursor, limit: PAGE });
    all.push(...page.entries);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all.sort((one, other) => other.updatedAt - one.updatedAt);
}

/** Returns the collection `votes`, which everyone may read. Each record has the choice of one person, but not the comment. */
export const votes = () => easel.kv.collection("votes");

/** The maximum number of votes that the page counts. */
const MOST_VOTES = 10_000;

/**
 * Calls `show` with one record of `votes` for each person, now and whenever they change. If a person has several records, `show` gets the
 * one that was changed last. Returns a function that stops.
 */
export const liveVotes = (show, onError) =>
  votes().live({ limit: MOST_VOTES }, (records) => show(newestOfEach(records)), onError);

function newestOfEach(records) {
  const byAuthor = new Map();
  for (const vote of records)
    if (vote.updatedAt >= (byAuthor.get(vote.authorId)?.updatedAt ?? 0)) byAuthor.set(vote.authorId, vote);
  return [...byAuthor.values()];
}

const votesOf = async (authorId) => (await votes().list({ where: { authorId } })).entries;

/** Stores the viewer's choice in the collection `votes`, which everyone may read. Replaces an earlier choice. */
export async function vote(me, choice) {
  const [own] = await votesOf(me.id);
  await (own ? votes().update(own.id, { choice }) : votes().create({ choice }));
}

/** Removes the votes of a person. */
export async function unvote(userId) {
  for (const { id } of await votesOf(userId)) await votes().delete(id);
}

/** Counts the answers by choice. Answers with a choice that no longer exists are counted as “Something else”. */
export function countsOf(answers, choices) {
  const counts = new Map(choices.map((choice) => [choice, 0]));
  for (const answer of answers) {
    const { choice } = contentOf(answer);
    const name = counts.has(choice) ? choice : "Something else";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Encodes a cell of CSV. A leading apostrophe keeps spreadsheets from interpreting a text as a formula. */
const cell = (text) => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;

/** Returns all answers as a CSV text. It begins with a byte order mark, by which spreadsheets recognise UTF-8. */
export function tableOf(answers) {
  const rows = answers.map((answer) => {
    const { name, choice, comment } = contentOf(answer);
    return [name, choice, comment, new Date(answer.updatedAt).toISOString(), answer.userId];
  });
  const lines = [["name", "choice", "comment", "answered", "user"], ...rows];
  return `\ufeff${lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("")}`;
}
