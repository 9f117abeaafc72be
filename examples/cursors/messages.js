/** On a channel whose name begins like this, viewers may publish as well; another one needs a policy in easel.json. */
export const CHANNEL = "participants:cursors";

/** A message has the way that a pointer took, a place for every so many milliseconds. */
export const STEP = 60;

/** So many places are as much of a way as is sent, and shown. */
export const MOST = 16;

const PLACES = [
  ["in the top left", "at the top", "in the top right"],
  ["on the left", "in the middle", "on the right"],
  ["in the bottom left", "at the bottom", "in the bottom right"],
];

const within = (number) => Math.min(1, Math.max(0, number));

/** A place on the surface: parts of its width and of its height, from 0 to 1. */
export const placeOf = (x, y) => [x, y].map((part) => Number(within(part).toFixed(4)));

/** A place in words. */
export function wordsFor(place) {
  const [column, row] = place.map((part) => Math.min(2, Math.floor(part * 3)));
  return PLACES[row][column];
}

const isPlace = (place) => Array.isArray(place) && place.length === 2 && place.every(Number.isFinite);

/** The way in a message; null where it is none: any page and any program may publish whatever it likes. */
export function pathIn(data) {
  const { path } = Object(data);
  if (!Array.isArray(path) || path.length === 0) return null;
  const last = path.slice(-MOST);
  return last.every(isPlace) ? last.map(([x, y]) => placeOf(x, y)) : null;
}
