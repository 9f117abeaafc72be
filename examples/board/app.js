import { COLUMNS, cards, change, contentOf, isGone, liveCards, MOST } from "./cards.js";
import { GONE, letEdit } from "./dialog.js";
import { letDrag } from "./drag.js";
import { draw, elementOf, newsSince, titleOf } from "./view.js";

const MESSAGES = {
  NOT_AUTHENTICATED: "You are not signed in. Reload this page to sign in.",
  PERMISSION_DENIED: "The policy of this canvas does not let you do this.",
  COLLECTION_NOT_CONFIGURED: "The policy of this canvas has no collection “cards”. Its owner can add one.",
  VALUE_TOO_LARGE: "This is too long for a card.",
  KEY_LIMIT: "The board is full. Remove some cards to make room.",
  CONNECTION_LIMIT: "Many people have this page open. What others change appears here every half minute.",
  RATE_LIMITED: "That was a little fast. Wait a moment and try again.",
};

const element = (id) => document.getElementById(id);
const say = (text) => {
  element("status").textContent = text;
};

/**
 * What the page shows: the viewer (`me`), the viewer's `rights`, the cards by id (`board`), their authors by id (`people`), and the removed
 * card that “Undo” restores (`gone`).
 */
const state = { me: null, rights: null, board: null, people: new Map(), gone: null };
/** The id of the oldest card on the page if there may be older ones, otherwise an empty text. Ids sort in the order of creation. */
let end = "";
/** The records of the live list, which the page shows when no write is pending. Null before the first ones. */
let listed = null;
/** The number of writes that are pending or whose result the live list does not have yet. */
let open = 0;
let queue = Promise.resolve();
/** The longest time in ms to wait until the live list has the result of a write. */
const PATIENCE = 2000;
/** Functions to call when the live list has changed. */
const waiting = new Set();

/** Returns a text that tells a person what to do about an error. If a capability is off, the text is the error's own `hint`. */
function explain(error) {
  if (!error.code) return "A part of this page is missing. Reload it, please.";
  return MESSAGES[error.reason ?? error.code] ?? error.hint ?? error.message;
}

/** Shows the cards of the live list, and announces what others have changed. */
function take() {
  if (listed === null || open > 0) return;
  const before = state.board;
  const endBefore = end;
  end = listed.length < MOST ? "" : listed.at(-1).id;
  state.board = new Map(listed.map((record) => [record.id, record]));
  element("note").hidden = end === "";
  element("form").hidden = !state.rights.create.any;
  const news = before === null ? "" : newsSince(before, state.board, endBefore, end);
  if (news !== "") say(news);
  draw(state);
}

/** Takes the cards from the live list. Looks up their authors; the page works without their names. */
async function show(records) {
  listed = records;
  for (const call of [...waiting]) call();
  const authors = records.map(({ authorId }) => authorId);
  state.people = await easel.people(authors).catch(() => state.people);
  if (listed !== records) return;
  element("failure").hidden = !isLate;
  take();
}

/** Whether the canvas has no live connection for this page, which stays told while data arrives. */
let isLate = false;

function fail(error) {
  isLate = error.code === "CONNECTION_LIMIT";
  const failure = element("failure");
  const note = failure.querySelector("p");
  const text = explain(error);
  if (note.textContent !== text) note.textContent = text;
  failure.hidden = false;
}

let stop = () => {};

/** Starts the live list of the cards, or shows the error. */
async function begin() {
  stop();
  isLate = false;
  try {
    state.me ??= await easel.me();
    state.rights ??= await cards().permissions();
    stop();
    stop = liveCards(show, fail);
  } catch (error) {
    fail(error);
  }
}

/**
 * Resolves when the live list has the result of a write: the record that was stored, or one with the `updatedAt` null that was removed.
 * Otherwise the page would show the state before the write once more.
 */
async function shown(record) {
  if (record === undefined) return;
  const { promise, resolve } = Promise.withResolvers();
  const look = () => {
    const found = listed?.find(({ id }) => id === record.id);
    if (record.updatedAt === null ? found === undefined : found?.updatedAt >= record.updatedAt) resolve();
  };
  waiting.add(look);
  const timer = setTimeout(resolve, PATIENCE);
  look();
  await promise;
  clearTimeout(timer);
  waiting.delete(look);
}

/**
 * Runs a write after all earlier writes. `action` resolves with the record that it has stored, if any. When no write is pending, shows the
 * live list again. Returns whether the write succeeded. If it failed, shows the error in the element whose id `place` returns.
 */
async function write(action, place = () => "message") {
  element(place()).textContent = "";
  open += 1;
  const done = queue.then(action);
  queue = done.catch(() => {});
  done
    .then(shown, () => {})
    .then(() => {
      open -= 1;
      take();
    });
  try {
    await done;
    return true;
  } catch (error) {
    element(place()).textContent = isGone(error) ? GONE : explain(error);
    return false;
  }
}

/**
 * Returns a provisional `updatedAt` for a card that was just changed. It is later than that of every other card, so that the card is shown
 * first.
 */
const latest = () => Math.max(0, ...[...state.board.values()].map((record) => record.updatedAt)) + 1;

/** Moves a card on the page at once, and moves it back if the write fails. */
async function move(record, column) {
  const content = { ...contentOf(record), column };
  const moved = { ...record, value: content, updatedAt: latest() };
  state.board.set(record.id, moved);
  draw(state);
  elementOf(record).scrollIntoView({ block: "nearest" });
  say(`${content.text} is in ${titleOf(column)} now.`);
  if ((await write(() => change(record, { column }))) || state.board.get(record.id) !== moved) return;
  state.board.set(record.id, record);
  draw(state);
}

async function add() {
  const form = element("form");
  const field = element("text");
  const text = field.value.trim();
  field.focus();
  if (form.ariaBusy === "true") return;
  if (text === "") {
    element("problem").textContent = "Write a few words first.";
    return;
  }
  form.ariaBusy = "true";
  const value = { text, column: COLUMNS[0] };
  const added = await write(
    async () => {
      const record = await cards().create(value);
      state.board.set(record.id, record);
      return record;
    },
    () => "problem",
  );
  form.ariaBusy = "false";
  if (!added) return;
  field.value = "";
  draw(state);
  say(`${text} is in ${titleOf(COLUMNS[0])}.`);
}

/** Creates the removed card again, with a new id and the current viewer as author. */
async function undo() {
  const back = state.gone;
  if (back === null) return;
  state.gone = null;
  let record = null;
  const added = await write(async () => {
    record = await cards().create(contentOf(back));
    state.board.set(record.id, record);
    return record;
  });
  if (!added) state.gone = back;
  draw(state);
  if (!added) return;
  elementOf(record).querySelector(".edit").focus();
  say(`${contentOf(record).text} is back.`);
}

const edit = letEdit(state, { write, say });
element("columns").addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  const record = state.board?.get(button?.closest("li").dataset.id);
  if (button?.closest(".gone")) undo();
  else if (button?.matches(".edit")) edit(record);
  else if (button) move(record, button.dataset.to);
});
element("columns").addEventListener("animationend", ({ target }) => target.classList.remove("fresh"));
letDrag(element("columns"), (id, column) => {
  const record = state.board.get(id);
  if (record && contentOf(record).column !== column) move(record, column);
});
element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  add();
});
element("form").addEventListener("input", () => {
  element("problem").textContent = "";
});
// Clears the error message as soon as the person continues, because they have read it by then.
for (const doing of ["pointerdown", "keydown"])
  document.addEventListener(doing, () => {
    element("message").textContent = "";
  });
element("again").addEventListener("click", begin);
window.addEventListener("online", () => element("failure").hidden || begin());
begin();
