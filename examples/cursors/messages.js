/**
 * The name of the channel. Viewers may publish on it because it begins with `participants:`. Any other name would need a policy in
 * easel.json.
 */
export const CHANNEL = "participants:cursors";

/** The time in ms between two points of a path. A `move` message is a batch of points: the path of a pointer since the last message. */
export const STEP = 60;

/** The maximum number of points of a path that are shown: the last ones. */
const MOST = 16;

const PLACES = [
  ["in the top left", "at the top", "in the top right"],
  ["on the left", "in the middle", "on the right"],
  ["in the bottom left", "at the bottom", "in the bottom right"],
];

const within = (number) => Math.min(1, Math.max(0, number));

/** Returns a point on the surface, as fractions of its width and height from 0 to 1. */
export const placeOf = (x, y) => [x, y].map((part) => Number(within(part).toFixed(4)));

/** Describes a point in words. */
export function wordsFor(place) {
  const [column, row] = place.map((part) => Math.min(2, Math.floor(part * 3)));
  return PLACES[row][column];
}

const isPlace = (place) => Array.isArray(place) && place.length === 2 && place.every(Number.isFinite);

/** Returns the end of the path in a message, or null if it is invalid. Any program may publish messages of any shape. */
export function pathIn(data) {
  if (!Array.isArray(data) || data.length === 0) return null;
  const last = data.slice(-MOST);
  return last.every(isPlace) ? last.map(([x, y]) => placeOf(x, y)) : null;
}
