/** The columns, from left to right. */
export const COLUMNS = ["idea", "doing", "done"];

/** The number of cards shown: those that were changed last. */
const MOST = 300;

/** The collection; its policy is in easel.json. */
export const cards = () => easel.kv.collection("cards");

/** Reads the page of the board to show. */
export const readBoard = () => cards().list({ orderBy: "-updatedAt", limit: MOST });

/** Converts a record to a card. Records that another program stored in other shapes become cards as well. */
export function contentOf({ value }) {
  const { text, column, by } = Object(value);
  return {
    text: String(text || "A card without words"),
    column: COLUMNS.includes(column) ? column : COLUMNS[0],
    by: String(by || "somebody"),
  };
}

/** Changes a part of the current card, because others may have changed the rest of it. */
export async function change(record, patch) {
  const now = (await cards().get(record.id)) ?? record;
  return cards().update(record.id, { ...contentOf(now), ...patch });
}

/** Removes a card; succeeds if somebody else has removed it. */
export async function discard(record) {
  try {
    await cards().delete(record.id);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Whether an error means that the card, and not the canvas, does not exist. */
export const isGone = (error) => error.code === "NOT_FOUND" && error.reason === "NOT_FOUND";
