import { COLUMNS, contentOf } from "./cards.js";

const element = (id) => document.getElementById(id);
const sectionOf = (column) => document.querySelector(`[data-column="${column}"]`);
const listOf = (column) => sectionOf(column).querySelector("ol");

/** The heading of a column, and what it is called on the page. */
export const headingOf = (column) => sectionOf(column).querySelector("h2");
export const titleOf = (column) => headingOf(column).textContent;

/** Whether a right reaches a card. */
export const may = (right, { authorId }, me) => right.any || (right.own && authorId === me.id);

/** The element of a card that is shown. */
export const elementOf = ({ id }) => document.querySelector(`#columns [data-id="${id}"]`);

function fromTemplate(id, key) {
  const item = element(id).content.firstElementChild.cloneNode(true);
  item.dataset.id = key;
  return item;
}

function drawCard(item, record, { me, rights }) {
  const { text, column, by } = contentOf(record);
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
  part(".by").textContent = `by ${record.authorId === me.id ? "you" : by}`;
  for (const which of item.querySelectorAll(".which")) which.textContent = ` “${text}”`;
  item.draggable = movable;
  item.dataset.version = record.updatedAt;
}

/** The element of a card, made or brought up to date. */
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
 * Shows the board of a state: `board` has the cards by id, and `gone` is the one whose removal can be undone. Elements stay what
 * they are, so that nobody loses their place on the page.
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
  // Only now: what a list has too much may have had its place in a later one.
  for (const column of COLUMNS) {
    const list = listOf(column);
    while (list.children.length > list.dataset.length) list.lastElementChild.remove();
    sectionOf(column).querySelector(".count").textContent = list.querySelectorAll(".card").length || "";
    sectionOf(column).querySelector(".empty").hidden = list.children.length > 0;
  }
  element("columns").ariaBusy = "false";
  if (home !== null) refocus(focused, home);
}

/** Keeps the focus where it was, or on what is next to it. */
function refocus(focused, home) {
  const scope = focused.isConnected && focused.hidden ? focused.closest("li") : home;
  const next = scope.querySelector("li button:not([hidden])") ?? home.querySelector("h2");
  const target = focused.isConnected && !focused.hidden ? focused : next;
  if (document.activeElement !== target) target.focus({ preventScroll: true });
}

/**
 * What has become of a board, in a few words. A board shows no more than the cards that were touched after its end: what was
 * touched before may have been there unseen, and may be there still.
 */
export function newsSince(before, board, endBefore, end) {
  const news = [];
  for (const [id, record] of board) {
    const { text, column } = contentOf(record);
    const earlier = before.get(id);
    if (earlier ? earlier.updatedAt === record.updatedAt : record.updatedAt <= endBefore) continue;
    const was = earlier && contentOf(earlier);
    if (was?.column !== column) news.push(`${was ? "" : "New: "}${text} is in ${titleOf(column)}.`);
    else if (was.text !== text) news.push(`Changed: ${text}.`);
  }
  for (const [id, record] of before)
    if (!board.has(id) && record.updatedAt > end) news.push(`Removed: ${contentOf(record).text}.`);
  return news.length > 3 ? `${news.length} cards have changed.` : news.join(" ");
}
