/** The columns, from left to right. */
export const COLUMNS = ["idea", "doing", "done"];

/** The maximum number of cards shown. If there are more, the newest are shown. */
export const MOST = 300;

/** Returns the collection of the cards. Its policy is in easel.json. */
export const cards = () => easel.kv.collection("cards");

/** Calls `show` with the records of the cards, now and whenever they have changed. Returns a function that stops. */
export const liveCards = (show, onError) =>
  cards().live({ orderBy: "-createdAt", limit: MOST }, show, onError);

/**
 * Returns the content of a card from its record. Fields that are missing or invalid get default values, because another program may have
 * stored the record.
 */
export function contentOf({ value }) {
  const { text, column } = Object(value);
  return {
    text: String(text || "A card without words"),
    column: COLUMNS.includes(column) ? column : COLUMNS[0],
  };
}

/**
 * Replaces some fields of a card, for example only `column` for the patch `{ column: "done" }`. Reads the card first, because others may
 * have changed the other fields.
 */
export async function change(record, patch) {
  const now = (await cards().get(record.id)) ?? record;
  return cards().update(record.id, { ...contentOf(now), ...patch });
}

/** Removes a card, and resolves with its id and the `updatedAt` null. Succeeds if somebody else has removed it. */
export async function discard(record) {
  try {
    await cards().delete(record.id);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  return { id: record.id, updatedAt: null };
}

/** Whether an error says that the card does not exist. Returns false for an error that says that the whole canvas does not exist. */
export const isGone = (error) => error.code === "NOT_FOUND" && error.reason === "NOT_FOUND";
