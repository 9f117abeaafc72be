/** Maps ids to the people who have uploaded photos. A file record has only the id of the person. */
let people = new Map();

/** Returns the name of a person, or “somebody” if the name is unknown. */
export const nameOf = (id) => people.get(id)?.name ?? "somebody";

/** Looks up the people with these ids. Ignores errors, because the page works without names. */
export async function learnNames(ids) {
  people = await easel.people(ids).catch(() => people);
}
