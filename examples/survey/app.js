import { COLLECTION, contentOf, liveVotes, readAll, tableOf, unvote, vote, votes } from "./answers.js";
import { drawResults, drawTally, plural, timeOf } from "./results.js";

/** The shortest time in ms between two reads of the answers, which cannot be watched. The votes tell that they have changed. */
const PAUSE = 5000;
const SHOWN = 50;

const MESSAGES = {
  NOT_AUTHENTICATED: "You are not signed in. Reload this page to sign in.",
  PERMISSION_DENIED: "Only the owner and the editors of this canvas read and remove answers.",
  VALUE_TOO_LARGE: "This is too long. Leave out a part of it, please.",
  KEY_LIMIT: "This survey is full and takes no more answers.",
  CONNECTION_LIMIT: "Many people have this page open. What others change appears here every half minute.",
  RATE_LIMITED: "That was a little fast. Wait a moment and try again.",
};

const element = (id) => document.getElementById(id);
const form = element("form");
const choices = [...form.elements.choice].map((input) => input.value);

let me = null;
/** The submission of the viewer; undefined if there is none. */
let mine;
/** The values of the form, as JSON, when the page last filled it in. If the form has other values now, the person has changed it. */
let filled = JSON.stringify(entered());
let answers = [];
/** The votes that the tally shows. Null until they have been read. */
let counted = null;
let shown = SHOWN;
/** Incremented with every change that this page makes. A list that was requested before a change is stale and is not shown. */
let changes = 0;

const manages = () => me !== null && me.canvasRole !== "viewer";
const say = (text) => {
  element("status").textContent = text;
};

/** Returns a text that tells a person what to do about an error. If a capability is off, the text is the error's own `hint`. */
function explain(error) {
  if (!error.code) return "A part of this page is missing. Reload it, please.";
  return MESSAGES[error.code] ?? error.hint ?? error.message;
}

function entered() {
  return { choice: form.elements.choice.value, comment: form.elements.comment.value.trim() };
}

function fill({ choice, comment }) {
  for (const input of form.elements.choice) input.checked = input.value === choice;
  form.elements.comment.value = comment;
  filled = JSON.stringify(entered());
}

/**
 * Shows whether the viewer has answered. The text shown is `done`, which says what the viewer has just done. If `done` is empty, the text
 * is the viewer's name and the time of the answer.
 */
function drawMine(done = "") {
  const name = me.name || me.email;
  const given = mine ? `Answered as ${name} on ${timeOf(mine)}.` : `You answer as ${name}.`;
  element("given").textContent = done || given;
  element("given").classList.toggle("done", done !== "");
  element("send").textContent = mine ? "Change answer" : "Send answer";
  element("withdraw").hidden = mine === undefined;
}

const drawAll = () => drawResults(answers, { me, shown });

async function refresh() {
  const before = changes;
  const [own, all] = await Promise.all([easel.submissions.get(COLLECTION), manages() ? readAll() : []]);
  if (changes !== before) return;
  if (own?.updatedAt !== mine?.updatedAt || form.hidden) {
    mine = own;
    if (own && JSON.stringify(entered()) === filled) fill(contentOf(own));
    drawMine();
  }
  if (manages() && (element("all").hidden || JSON.stringify(all) !== JSON.stringify(answers))) {
    answers = all;
    drawAll();
  }
  form.hidden = false;
  element("all").hidden = !manages();
}

/** Whether the canvas has no live connection for this page, which stays told while data arrives. */
let isLate = false;

/** Shows the error, and removes it if `error` is null. */
function showFailure(error) {
  if (error === null && isLate) return;
  isLate = error?.code === "CONNECTION_LIMIT";
  const note = element("failure").querySelector("p");
  const text = error === null ? "" : explain(error);
  if (note.textContent !== text) note.textContent = text;
  element("failure").hidden = error === null;
}

/** Reads and shows the viewer's answer. The owner and the editors also get all answers. Shows the error if reading fails. */
async function look() {
  try {
    me ??= await easel.me();
    await refresh();
    showFailure(null);
  } catch (error) {
    showFailure(error);
  } finally {
    element("loading").hidden = true;
  }
}

/** Shows the tally of the votes. The answers that this viewer may read are read again if the votes say that they have changed. */
function count(cast) {
  const isFirst = counted === null;
  const ownBefore = ownVote();
  counted = cast;
  drawTally(counted, choices);
  element("results").hidden = false;
  if (!isFirst && (manages() || ownVote()?.updatedAt !== ownBefore?.updatedAt)) lookSoon();
}

const ownVote = () => counted?.find(({ authorId }) => authorId === me?.id);

/**
 * Calls `action`, which changes answers. If it fails, shows the error in the element `problem`. Returns whether it succeeded, and false if
 * another change is still running.
 */
async function change(problem, action) {
  if (form.ariaBusy === "true") return false;
  form.ariaBusy = "true";
  element(problem).textContent = "";
  changes += 1;
  try {
    await action();
    return true;
  } catch (error) {
    element(problem).textContent = explain(error);
    return false;
  } finally {
    changes += 1;
    form.ariaBusy = "false";
  }
}

async function send() {
  const answer = entered();
  if (!answer.choice) {
    element("problem").textContent = "Choose an answer first.";
    form.elements.choice[0].focus();
    return;
  }
  const first = mine === undefined;
  const value = { ...answer, name: me.name || me.email };
  const sent = await change("problem", async () => {
    mine = await easel.submissions.set(COLLECTION, value);
    await vote(me, answer.choice);
  });
  if (!sent) return;
  filled = JSON.stringify(answer);
  const done = first ? "Thank you, your answer is in." : "Your answer is changed.";
  drawMine(done);
  say(done);
  look();
}

function forget(done) {
  mine = undefined;
  drawMine(done);
}

async function takeBack() {
  await unvote(me.id);
  await easel.submissions.delete(COLLECTION);
}

/** Withdraws the viewer's answer. The form keeps its values, so that the answer can be sent again. */
async function withdraw() {
  if (!(await change("problem", takeBack))) return;
  forget("Withdrawn. Your words stay here until you leave.");
  say("Your answer is withdrawn.");
  element("send").focus();
  look();
}

/** Shows a dialog that asks the viewer to confirm a permanent removal. Resolves with true if the viewer confirms. */
async function confirmed(title, text) {
  const dialog = element("confirm");
  element("confirm-title").textContent = title;
  element("confirm-text").textContent = text;
  dialog.returnValue = "no";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue === "yes";
}

async function removeOf(userId) {
  await unvote(userId);
  await easel.submissions.remove(COLLECTION, userId);
}

async function remove(userId) {
  const answer = answers.find((each) => each.userId === userId);
  if (answer === undefined) return;
  const { name } = contentOf(answer);
  if (!(await confirmed(`Remove the answer of ${name}?`, "It is gone for good."))) return;
  const place = [...element("answers").children].findIndex((item) => item.dataset.user === userId);
  if (!(await change("trouble", () => removeOf(userId)))) return;
  if (userId === me.id) forget();
  answers = answers.filter((each) => each.userId !== userId);
  drawAll();
  const next = element("answers").children[Math.min(place, answers.length - 1)];
  (next?.querySelector(".remove") ?? element("answers-title")).focus();
  say(`The answer of ${name} is removed.`);
  look();
}

async function removeAll() {
  await votes().clear();
  await easel.submissions.clear(COLLECTION);
}

async function clear() {
  const text = "They are gone for good, for everyone. Export them first if you may want them again.";
  if (!(await confirmed(`Remove all ${plural(answers.length)}?`, text))) return;
  if (!(await change("trouble", removeAll))) return;
  forget();
  answers = [];
  drawAll();
  element("answers-title").focus();
  say("All answers are removed.");
  look();
}

/** Downloads all answers as CSV. */
function download() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([tableOf(answers)], { type: "text/csv" }));
  link.download = "answers.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  say(`${plural(answers.length)} exported.`);
}

function more() {
  const first = shown;
  shown += SHOWN;
  drawAll();
  element("answers").children[first]?.querySelector(".remove").focus();
}

let reading = false;
let stale = false;

/**
 * Calls `look` at once if its last call ended more than `PAUSE` ago, and otherwise as soon as `PAUSE` is over. Several calls during this
 * wait cause only one read.
 */
async function lookSoon() {
  stale = true;
  if (reading) return;
  reading = true;
  while (stale) {
    stale = false;
    await look();
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  reading = false;
}

let stop = () => {};

/** Reads and shows everything, and starts the live tally. */
async function begin() {
  stop();
  isLate = false;
  await look();
  stop();
  if (me !== null) stop = liveVotes(count, showFailure);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
form.addEventListener("input", () => {
  element("problem").textContent = "";
  drawMine();
});
element("withdraw").addEventListener("click", withdraw);
element("answers").addEventListener("click", ({ target }) => {
  if (target.closest(".remove")) remove(target.closest(".answer").dataset.user);
});
element("clear").addEventListener("click", clear);
element("export").addEventListener("click", download);
element("more").addEventListener("click", more);
element("again").addEventListener("click", begin);
window.addEventListener("online", () => element("failure").hidden || begin());
begin();
