import { keepDraft } from "./draft.js";
import { drawEntry, drawTime, textOf } from "./entry.js";

/** The number of entries that the page shows at first. Every click on “Older entries” adds the same number. */
const PAGE = 20;
/** The maximum number of entries that the page shows. */
const MOST = 1000;

const MESSAGES = {
  NOT_AUTHENTICATED: "You are not signed in. Reload this page to sign in.",
  PERMISSION_DENIED: "Only the author, the owner and the editors of this canvas change an entry.",
  COLLECTION_NOT_CONFIGURED: "The policy of this canvas has no collection “entries”. Its owner can add one.",
  RECORD_NOT_FOUND: "This entry is gone. Somebody has removed it.",
  VALUE_TOO_LARGE: "This is too long: an entry holds up to 64 KiB of text.",
  KEY_LIMIT: "The book is full. Remove some entries to make room.",
  CONNECTION_LIMIT: "Many people have this page open. What others change appears here every half minute.",
  RATE_LIMITED: "That was a little fast. Wait a moment and try again.",
};

const element = (id) => document.getElementById(id);
const list = element("entries");
const form = element("form");
const field = element("text");
const entries = () => easel.kv.collection("entries");

let me;
let rights;
let saveDraft = () => {};
let records = [];
let shown = PAGE;
/** Stops the live list of the entries. */
let stop = () => {};

const say = (text) => {
  element("status").textContent = text;
};

/** Returns a text that tells a person what to do about an error. If a capability is off, the text is the error's own `hint`. */
function explain(error) {
  if (!error.code) return "A part of this page is missing. Reload it, please.";
  return MESSAGES[error.reason ?? error.code] ?? error.hint ?? error.message;
}

const may = (action, { authorId }) => rights[action].any || (rights[action].own && authorId === me.id);

/**
 * Shows `records`, the newest first. `people` maps the ids of authors to their names. The element of an entry that has not changed stays on
 * the page. The element of a changed one is replaced, and the same button has the focus again.
 */
function show(people) {
  const known = new Map([...list.children].map((item) => [item.dataset.id, item]));
  const focused = document.activeElement;
  const items = records.map((record) => {
    const item = known.get(record.id);
    if (item?.dataset.version === String(record.updatedAt)) return item;
    const name = people.get(record.authorId)?.name ?? "Somebody";
    const can = { update: may("update", record), delete: may("delete", record) };
    const drawn = drawEntry(record, name, can);
    drawn.classList.toggle("fresh", item === undefined && list.ariaBusy === "false");
    return drawn;
  });
  for (const item of list.querySelectorAll(".entry")) if (!items.includes(item)) item.remove();
  for (const [place, item] of items.entries()) {
    drawTime(item);
    if (list.children[place] !== item) list.insertBefore(item, list.children[place] ?? null);
  }
  const { id } = focused.closest(".entry")?.dataset ?? {};
  const again = items.find((item) => item.dataset.id === id);
  if (!focused.isConnected) again?.querySelector(focused.matches(".edit") ? ".edit" : ".remove").focus();
  element("empty").hidden = items.length > 0;
}

/** Takes the newest entries from the live list, and shows them when the names of their authors are known. */
async function take(newest) {
  const given = newest.slice(0, shown);
  records = given;
  const people = await easel.people(given.map(({ authorId }) => authorId)).catch(() => new Map());
  if (records !== given) return;
  show(people);
  element("older").hidden = newest.length <= shown || shown === MOST;
  element("failure").hidden = !isLate;
  done();
}

/** Whether the canvas has no live connection for this page, which stays told while data arrives. */
let isLate = false;

function fail(error) {
  isLate = error.code === "CONNECTION_LIMIT";
  element("failure").hidden = false;
  element("failure").querySelector("p").textContent = explain(error);
  done();
}

function done() {
  element("loading").hidden = true;
  list.ariaBusy = "false";
}

/**
 * Starts the live list of the newest entries, which calls `take` now and whenever they change. Asks for one entry more than the page shows,
 * to know whether there are older ones.
 */
async function begin() {
  stop();
  isLate = false;
  try {
    me ??= await easel.me();
    rights ??= await entries().permissions();
    await open();
    stop();
    stop = entries().live({ orderBy: "-createdAt", limit: shown + 1 }, take, fail);
  } catch (error) {
    fail(error);
  }
}

/** Shows the form with the viewer's name and stored draft, if the viewer may write entries. Does nothing if the form is already shown. */
async function open() {
  if (!form.hidden || !rights.create.any) return;
  saveDraft = await keepDraft(field, element("draft"), explain);
  element("name").textContent = me.name || me.email;
  form.hidden = false;
}

/**
 * Calls `action`, which creates, updates or deletes an entry. The live list shows the result. If `action` fails, shows the error in the
 * element `problem`. Returns whether it succeeded.
 */
async function change(problem, action) {
  problem.textContent = "";
  try {
    await action();
    return true;
  } catch (error) {
    problem.textContent = explain(error);
    return false;
  }
}

async function sign() {
  const text = field.value.trim();
  const problem = element("problem");
  if (form.ariaBusy === "true") return;
  if (!text) {
    problem.textContent = "Write a few words first.";
    field.focus();
    return;
  }
  form.ariaBusy = "true";
  if (await change(problem, () => entries().create({ text }))) {
    field.value = "";
    saveDraft();
    say("Your entry is in the book.");
  }
  form.ariaBusy = "false";
  field.focus();
}

/** Shows a dialog, and resolves with the value of the button that closed it. */
async function answerOf(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue;
}

async function edit(record) {
  element("edited").value = textOf(record);
  if ((await answerOf(element("editor"))) !== "save") return;
  const text = element("edited").value.trim();
  if (!text || text === textOf(record)) return;
  if (await change(element("trouble"), () => entries().update(record.id, { text })))
    say("The entry is changed.");
  list.querySelector(`[data-id="${record.id}"] .edit`)?.focus();
}

async function remove(record) {
  if ((await answerOf(element("confirm"))) !== "yes") return;
  if (!(await change(element("trouble"), () => entries().delete(record.id)))) return;
  say("Entry removed.");
  element("entries-title").focus();
}

function older() {
  shown = Math.min(shown + PAGE, MOST);
  begin();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  sign();
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
field.addEventListener("input", () => {
  element("problem").textContent = "";
});
list.addEventListener("click", ({ target }) => {
  const record = records.find(({ id }) => id === target.closest(".entry")?.dataset.id);
  if (record && target.closest(".edit")) edit(record);
  if (record && target.closest(".remove")) remove(record);
});
document.addEventListener("visibilitychange", () => list.querySelectorAll(".entry").forEach(drawTime));
window.addEventListener("online", () => element("failure").hidden || begin());
element("older").addEventListener("click", older);
element("again").addEventListener("click", begin);
begin();
