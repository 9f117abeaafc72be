/*
 * Returns the collection with the names of people who have uploaded photos. File records have only the ids of people. Everyone who uploads
 * a photo stores one record with their name. The service sets the author of a record, so nobody can store a name for somebody else.
 */
const people = () => easel.kv.collection("people");

const names = new Map();
const asked = new Set();
let introduction = null;

/** Returns the name of a person, or “somebody” if the name is unknown. */
export const nameOf = (id) => names.get(id) ?? "somebody";

/**
 * Reads the names of all people again if `ids` contains an id that was not looked up before. Ignores errors, because the page works without
 * names.
 */
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

/** Stores the viewer's name, once. Resolves when it is stored, so that others can read it when the first photo appears. */
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
    // The photos are shown without a name.
  }
}
