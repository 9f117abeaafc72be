/*
 * Names for the photos: file records have ids of people only. Everyone who puts up a photo leaves one record with their name. The service
 * sets the author of a record, so nobody can name somebody else.
 */
const people = () => easel.kv.collection("people");

const names = new Map();
const asked = new Set();
let introduction = null;

/** The name of a person, as far as it is known. */
export const nameOf = (id) => names.get(id) ?? "somebody";

/** Reads the names again if there is a person who has not been looked up. Without them the page works as well. */
export async function learnNames(ids) {
  const unknown = ids.filter((id) => !names.has(id) && !asked.has(id));
  if (unknown.length === 0) return;
  for (const id of unknown) asked.add(id);
  const { entries } = await people()
    .list({ limit: 1000, orderBy: "-updatedAt" })
    .catch(() => ({ entries: [] }));
  for (const { authorId, value } of entries.reverse())
    if (Object(value).name) names.set(authorId, String(value.name).slice(0, 100));
}

/** Leaves the viewer's name, once. Resolves when it is there, so that it can precede the first photo. */
export function introduce(me) {
  introduction ??= leaveName(me);
  return introduction;
}

async function leaveName({ id, name, email }) {
  const value = { name: name || email };
  try {
    const { entries } = await people().list({ where: { authorId: id }, limit: 1 });
    const [own] = entries;
    if (own === undefined) await people().create(value);
    else if (Object(own.value).name !== value.name) await people().update(own.id, value);
  } catch {
    // The photos go up without a name.
  }
}
