/**
 * The name of the channel. Viewers may publish on it because it begins with `participants:`. Any other name would need a policy in
 * easel.json.
 */
export const CHANNEL = "participants:cursors";

/** The time in ms between two points of a path. A `move` message is a batch of points: the path of a pointer since the last message. */
export const STEP = 60;

/** The maximum number of points that the page shows of a path. It leaves out the points before the last `MOST`. */
const MOST = 16;

const PLACES = [
  ["in the top left", "at the top", "in the top right"],
  ["on the left", "in the middle", "on the right"],
  ["in the bottom left", "at the bottom", "in the bottom right"],
];

const within = (number) => Math.min(1, Math.max(0, number));

/** Returns a point on the surface as `[x, y]`, rounded. Both are fractions of the width or the height of the surface, from 0 to 1. */
export const placeOf = (x, y) => [x, y].map((part) => Number(within(part).toFixed(4)));

/** Returns a text for a point on the surface, such as `at the top` or `in the middle`. */
export function wordsFor(place) {
  const [column, row] = place.map((part) => Math.min(2, Math.floor(part * 3)));
  return PLACES[row][column];
}

const isPlace = (place) => Array.isArray(place) && place.length === 2 && place.every(Number.isFinite);

/**
 * Returns the last `MOST` points of the path in a message. Returns null if the message has no valid path, because any program may publish
 * messages of any shape.
 */
export function pathIn(data) {
  if (!Array.isArray(data) || data.length === 0) return null;
  const last = data.slice(-MOST);
  return last.every(isPlace) ? last.map(([x, y]) => placeOf(x, y)) : null;
}
