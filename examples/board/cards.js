/** The columns, from left to right. */
export const COLUMNS = ["idea", "doing", "done"];

/** So many cards are shown: those that were touched last. */
const MOST = 300;

/** The collection as the SDK gives it, see easel.json for its policy. */
export const cards = () => easel.kv.collection("cards");

/** The page of the board that is shown. */
export const readBoard = () => cards().list({ orderBy: "-updatedAt", limit: MOST });

/** A card as this page writes it; whatever else a program has stored becomes one, too. */
export function contentOf({ value }) {
  const { text, column, by } = Object(value);
  return {
    text: String(text || "A card without words"),
    column: COLUMNS.includes(column) ? column : COLUMNS[0],
    by: String(by || "somebody"),
  };
}

/** Changes a part of a card as it is by now: others may have changed the rest of it. */
export async function change(record, patch) {
  const now = (await cards().get(record.id)) ?? record;
  return cards().update(record.id, { ...contentOf(now), ...patch });
}

/** Removes a card; fine where somebody else has done it. */
export async function discard(record) {
  try {
    await cards().delete(record.id);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Whether an error says that the card is not there, rather than the canvas. */
export const isGone = (error) => error.code === "NOT_FOUND" && error.reason === "NOT_FOUND";
