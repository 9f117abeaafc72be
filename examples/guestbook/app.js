const PREFIX = "entry:";
const PAGE = 20;
const DRAFT = "draft";
const LATEST = 9_999_999_999_999;

const MESSAGES = {
  NOT_AUTHENTICATED: "You are not signed in. Reload this page to sign in.",
  PERMISSION_DENIED: "Only the owner and the editors of this canvas can change the book.",
  VALUE_TOO_LARGE: "This is too long: an entry holds up to 64 KiB of text.",
  KEY_LIMIT: "The book is full. Remove some entries to make room.",
  RATE_LIMITED: "That was a little fast. Wait a moment and try again.",
};

const element = (id) => document.getElementById(id);
const list = element("entries");
const form = element("form");
const field = element("text");

let writer = null;
let cursor = null;
let retry = start;

/** Returns a text that tells a person what to do about an error. If a capability is off, the text is the error's own `hint`. */
function explain(error) {
  if (!error.code) return "A part of this page is missing. Reload it, please.";
  return MESSAGES[error.code] ?? error.hint ?? error.message;
}

/** Runs an action. If it fails, shows the error and a button that runs the action again. */
async function attempt(action) {
  element("failure").hidden = true;
  try {
    await action();
  } catch (error) {
    retry = action;
    element("failure").hidden = false;
    element("failure").querySelector("p").textContent = explain(error);
  } finally {
    element("loading").hidden = true;
    list.ariaBusy = "false";
  }
}

/** Returns a key for a new entry. A later time gives a smaller key, so that a list in key order begins with the newest entry. */
function newKey(time) {
  const left = String(LATEST - time).padStart(13, "0");
  return `${PREFIX}${left}:${Math.random().toString(36).slice(2, 10)}`;
}

/** Returns a time in words, such as “3 hours ago”, or the date once a week has passed. */
function ago(date) {
  const minutes = Math.max(0, Math.floor((Date.now() - date) / 60_000));
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (minutes < 1) return "just now";
  if (minutes < 60) return format.format(-minutes, "minute");
  if (minutes < 24 * 60) return format.format(-Math.floor(minutes / 60), "hour");
  if (minutes < 7 * 24 * 60) return format.format(-Math.floor(minutes / (24 * 60)), "day");
  return date.toLocaleDateString("en", { dateStyle: "long" });
}

function fromTemplate(id, key) {
  const item = element(id).content.firstElementChild.cloneNode(true);
  item.dataset.key = key;
  return item;
}

function drawEntry(entry) {
  const item = fromTemplate("entry", entry.key);
  const part = (selector) => item.querySelector(selector);
  const name = String(entry.value?.name || "Somebody");
  const letters = [...name];
  const tone = letters.reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 5;
  part(".initial").textContent = letters[0].toUpperCase();
  part(".initial").classList.add(`tone-${tone}`);
  part(".name").textContent = name;
  part(".text").textContent = String(entry.value?.text ?? "");
  const date = new Date(entry.value?.at);
  if (!Number.isNaN(date.getTime())) {
    part("time").dateTime = date.toISOString();
    part("time").title = date.toLocaleString("en", { dateStyle: "full", timeStyle: "short" });
    part("time").textContent = ago(date);
  }
  part(".remove .unseen").textContent = ` the entry by ${name}`;
  part(".remove").hidden = writer === null;
  part(".remove").addEventListener("click", () => attempt(() => remove(item, entry)));
  return item;
}

/** Inserts the element of an entry into the list, which is in the order of keys. */
function place(item) {
  const next = [...list.children].find((other) => other.dataset.key > item.dataset.key);
  list.insertBefore(item, next ?? null);
  element("empty").hidden = true;
}

function showPage({ entries, nextCursor }) {
  const known = new Set([...list.children].map((item) => item.dataset.key));
  for (const entry of entries) if (!known.has(entry.key)) place(drawEntry(entry));
  cursor = nextCursor;
  element("older").hidden = cursor === null;
  element("empty").hidden = list.children.length > 0;
}

/**
 * Reads the newest entries again, as many as the list shows. Adds new entries to the list, and removes entries that others have deleted.
 */
async function refresh() {
  const page = await easel.kv.list({ prefix: PREFIX, limit: Math.max(PAGE, list.children.length) });
  const keys = new Set(page.entries.map((entry) => entry.key));
  for (const item of list.querySelectorAll(".entry")) {
    if (!keys.has(item.dataset.key)) item.remove();
    const time = item.querySelector("time");
    if (time.dateTime) time.textContent = ago(new Date(time.dateTime));
  }
  showPage(page);
}

async function older() {
  const shown = list.children.length;
  const page = await easel.kv.list({ prefix: PREFIX, cursor, limit: PAGE });
  showPage(page);
  element("status").textContent = `${page.entries.length} older entries shown.`;
  const first = list.children[shown];
  first?.setAttribute("tabindex", "-1");
  first?.focus();
}

async function remove(item, entry) {
  await easel.kv.delete(entry.key);
  const gone = fromTemplate("gone", entry.key);
  const undo = gone.querySelector("button");
  gone.querySelector("p").textContent = `The entry by ${item.querySelector(".name").textContent} is removed.`;
  undo.addEventListener("click", () => attempt(() => restore(gone, entry)));
  item.replaceWith(gone);
  undo.focus();
  element("status").textContent = "Entry removed.";
}

async function restore(gone, entry) {
  await easel.kv.set(entry.key, entry.value);
  const item = drawEntry(entry);
  gone.replaceWith(item);
  item.querySelector(".remove").focus();
  element("status").textContent = "Entry restored.";
}

let key = null;

/** Stores the entry in the form. A retry after a failure uses the same key again, so that it never creates a second entry. */
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
  problem.textContent = "";
  try {
    const at = Date.now();
    key ??= newKey(at);
    const entry = { key, value: { name: writer, text, at } };
    await easel.kv.set(entry.key, entry.value);
    key = null;
    field.value = "";
    keepDraft();
    const item = drawEntry(entry);
    item.classList.add("fresh");
    place(item);
    element("status").textContent = "Your entry is in the book.";
  } catch (error) {
    problem.textContent = explain(error);
  } finally {
    form.ariaBusy = "false";
    field.focus();
  }
}

let kept = "";
let timer = 0;
let saving = Promise.resolve();

/** Saves the draft in the viewer's private key-value store, `easel.kv.user`. Waits until the previous save has ended. */
function keepDraft() {
  clearTimeout(timer);
  saving = saving.then(saveDraft).catch((error) => {
    element("draft").textContent = ` · Draft not saved. ${explain(error)}`;
  });
}

async function saveDraft() {
  const text = field.value;
  if (text === kept) return;
  if (text) await easel.kv.user.set(DRAFT, text);
  else await easel.kv.user.delete(DRAFT);
  kept = text;
  element("draft").textContent = text ? " · Draft saved" : "";
}

async function start() {
  const me = await easel.me();
  if (me.canvasRole !== "viewer") writer = me.name || me.email;
  await refresh();
  if (writer !== null && form.hidden) {
    const draft = await easel.kv.user.get(DRAFT);
    kept = typeof draft === "string" ? draft : "";
    field.value = kept;
    element("draft").textContent = kept ? " · Draft restored" : "";
    element("name").textContent = writer;
  }
  form.hidden = writer === null;
  element("reader").hidden = writer !== null;
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
  element("draft").textContent = "";
  clearTimeout(timer);
  timer = setTimeout(keepDraft, 1000);
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) keepDraft();
  else if (element("failure").hidden) attempt(refresh);
});
element("older").addEventListener("click", () => attempt(older));
element("again").addEventListener("click", () => attempt(retry));
attempt(start);
