import { COLUMNS, contentOf } from "./cards.js";

const element = (id) => document.getElementById(id);
const sectionOf = (column) => document.querySelector(`[data-column="${column}"]`);
const listOf = (column) => sectionOf(column).querySelector("ol");

/** Returns the heading element of a column. Its text is the column's title, such as `Doing`. */
export const headingOf = (column) => sectionOf(column).querySelector("h2");
export const titleOf = (column) => headingOf(column).textContent;

/**
 * Whether a right of the viewer `me` allows an operation on a card. `right.any` allows it on every card, `right.own` only on the viewer's
 * own cards.
 */
export const may = (right, { authorId }, me) => right.any || (right.own && authorId === me.id);

/** Returns the list item on the page that shows a card, or null if the page does not show the card. */
export const elementOf = ({ id }) => document.querySelector(`#columns [data-id="${id}"]`);

function fromTemplate(id, key) {
  const item = element(id).content.firstElementChild.cloneNode(true);
  item.dataset.id = key;
  return item;
}

function drawCard(item, record, { me, rights, people }) {
  const { text, column } = contentOf(record);
  const part = (selector) => item.querySelector(selector);
  const place = COLUMNS.indexOf(column);
  const movable = may(rights.update, record, me);
  for (const [selector, to] of [
    [".back", COLUMNS[place - 1]],
    [".on", COLUMNS[place + 1]],
  ]) {
    part(selector).hidden = !movable || to === undefined;
    part(selector).dataset.to = to ?? "";
    part(`${selector} .to`).textContent = to === undefined ? "" : titleOf(to);
  }
  part(".edit").hidden = !movable && !may(rights.delete, record, me);
  part(".text").textContent = text;
  const author = record.authorId === me.id ? "you" : (people.get(record.authorId)?.name ?? "somebody");
  part(".by").textContent = `by ${author}`;
  for (const which of item.querySelectorAll(".which")) which.textContent = ` “${text}”`;
  item.draggable = movable;
  item.dataset.version = record.updatedAt;
}

/** Updates the element of a card, or creates it if there is none, and returns it. */
function itemOf(record, state) {
  const known = elementOf(record);
  if (record === state.gone) return known?.matches(".gone") ? known : fromTemplate("gone", record.id);
  const item = known ?? fromTemplate("card", record.id);
  if (item.dataset.version !== String(record.updatedAt)) {
    drawCard(item, record, state);
    item.classList.toggle("fresh", element("columns").ariaBusy === "false");
  }
  return item;
}

/**
 * Renders a state: `board` has the cards by id, and `gone` is the card whose removal can be undone. Elements are reused, so that
 * focus and scroll position are kept.
 */
export function draw(state) {
  const focused = document.activeElement;
  const home = focused.closest(".column");
  const records = [...state.board.values(), ...(state.gone === null ? [] : [state.gone])].toSorted(
    (one, other) => other.updatedAt - one.updatedAt || (other.id > one.id ? 1 : -1),
  );
  for (const column of COLUMNS) {
    const list = listOf(column);
    const items = records
      .filter((record) => contentOf(record).column === column)
      .map((record) => itemOf(record, state));
    for (const [place, item] of items.entries())
      if (list.children[place] !== item) list.insertBefore(item, list.children[place] ?? null);
    list.dataset.length = items.length;
  }
  // Surplus elements are removed last, because an element that has left this list may have moved to a later list.
  for (const column of COLUMNS) {
    const list = listOf(column);
    while (list.children.length > list.dataset.length) list.lastElementChild.remove();
    sectionOf(column).querySelector(".count").textContent = list.querySelectorAll(".card").length || "";
    sectionOf(column).querySelector(".empty").hidden = list.children.length > 0;
  }
  element("columns").ariaBusy = "false";
  if (home !== null) refocus(focused, home);
}

/**
 * Keeps the focus on `focused` if it is still visible. Otherwise focuses a visible button: in the same list item if `focused` is hidden, in
 * the column `home` if `focused` was removed. If there is no such button, focuses the heading of `home`.
 */
function refocus(focused, home) {
  const scope = focused.isConnected && focused.hidden ? focused.closest("li") : home;
  const next = scope.querySelector("li button:not([hidden])") ?? home.querySelector("h2");
  const target = focused.isConnected && !focused.hidden ? focused : next;
  if (document.activeElement !== target) target.focus({ preventScroll: true });
}

/**
 * Returns a short summary of the differences between the boards `before` and `board`, such as `Changed: Tea.`. A board may lack the cards
 * that are older than the one with the id `endBefore` or `end` (empty if it has all cards). Such cards are not reported as new or removed.
 */
export function newsSince(before, board, endBefore, end) {
  const news = [];
  for (const [id, record] of board) {
    const { text, column } = contentOf(record);
    const earlier = before.get(id);
    if (earlier ? earlier.updatedAt === record.updatedAt : id <= endBefore) continue;
    const was = earlier && contentOf(earlier);
    if (was?.column !== column) news.push(`${was ? "" : "New: "}${text} is in ${titleOf(column)}.`);
    else if (was.text !== text) news.push(`Changed: ${text}.`);
  }
  for (const [id, record] of before)
    if (!board.has(id) && id > end) news.push(`Removed: ${contentOf(record).text}.`);
  return news.length > 3 ? `${news.length} cards have changed.` : news.join(" ");
}
