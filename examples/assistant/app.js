import { writeAnswer } from "./answer.js";
import { keepTurn, newTurn, readTurns, removeAll, removeOldest, reopen } from "./conversation.js";
import { explain } from "./messages.js";
import { refusal, showNote } from "./note.js";
import { promptFor } from "./prompt.js";
import { sampleTurns } from "./sample.js";
import { say, warn } from "./say.js";
import { keepEnd, offerEnd, scrollToEnd } from "./scroll.js";
import { drawTurn, spoken } from "./turn.js";

const element = (id) => document.getElementById(id);
const field = element("question");

let turns = [];
/** The oldest turn that was sent to the model together with the newest question. Null before the first question. */
let first = null;
/** Aborts the answer that is being written. Null if no answer is being written. */
let stop = null;
/** Resolves when the newest answer is complete, stopped or failed, and the attempt to store it has ended. */
let answered = Promise.resolve();
/** Whether `turns` is a sample, which is shown while the service has no AI provider and the viewer has no conversation. */
let isSample = false;

const show = (turn) =>
  drawTurn(turn, { isLast: turn === turns.at(-1), isCut: turn === first && turn !== turns[0] });

/**
 * Draws the conversation and its buttons. If this hides the focused button, focuses the button that has taken its place: “Send” or “Stop”.
 */
function drawAll() {
  const focused = document.activeElement;
  const items = turns.map(show);
  const list = element("turns");
  for (const item of [...list.children]) if (!items.includes(item)) item.remove();
  for (const [index, item] of items.entries())
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
  element("empty").hidden = turns.length > 0;
  element("sample").hidden = !isSample;
  element("anew").hidden = turns.length === 0 || isSample;
  element("stop").hidden = stop === null;
  element("send").hidden = stop !== null;
  if (!focused.checkVisibility()) element(stop === null ? "send" : "stop").focus({ preventScroll: true });
}

/** Stores a turn, and removes the oldest turns if there are too many. Resolves with the error if that fails, otherwise with undefined. */
const keep = (turn) =>
  keepTurn(turn)
    .then(() => removeOldest(turns))
    .then(() => keepEnd(drawAll))
    .catch((error) => error);

/** Asks the model the question of the last turn. Shows the answer while it arrives, and stores it when it has ended. */
async function answer(turn) {
  stop = new AbortController();
  const { signal } = stop;
  reopen(turn);
  const prompt = promptFor(turn, turns);
  first = prompt.first;
  warn("");
  drawAll();
  scrollToEnd();
  say("The answer is being written.");
  const begun = keep(turn);
  await writeAnswer(turn, prompt.messages, signal, () => keepEnd(() => show(turn)));
  stop = null;
  keepEnd(drawAll);
  const outcome = { done: spoken(turn), stopped: "Stopped.", failed: turn.problem };
  if (turns.includes(turn)) say(outcome[turn.state]);
  await begun;
  // The turn is gone if a new conversation has begun.
  if (!turns.includes(turn)) return;
  const error = await keep(turn);
  if (error !== undefined && turn.state !== "failed") warn(`This answer is not kept. ${explain(error)}`);
}

function ask() {
  const question = field.value.trim();
  if (stop !== null) return;
  if (question === "") return field.focus();
  field.value = "";
  turns.push(newTurn(question, turns));
  answered = answer(turns.at(-1));
}

/** Asks the viewer whether the conversation may be removed. Resolves with true if the viewer confirms. */
async function confirmed() {
  const dialog = element("confirm");
  dialog.returnValue = "no";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue === "yes";
}

async function beginAnew() {
  if (!(await confirmed())) return;
  stop?.abort();
  warn("");
  const old = turns;
  turns = [];
  drawAll();
  (field.checkVisibility() ? field : element("title")).focus();
  say("A new conversation.");
  await answered;
  try {
    await removeAll(old);
  } catch (error) {
    turns = [...old, ...turns];
    drawAll();
    warn(`The old conversation is not removed. ${explain(error)}`);
  }
}

/**
 * Resolves with the stored turns of the conversation. If key-value data is off, shows a warning that the conversation is not kept, and
 * resolves with an empty list.
 */
async function readKept() {
  try {
    return await readTurns();
  } catch (error) {
    if (error.capability !== "kv") throw error;
    warn(`This conversation is not kept. ${explain(error)}`);
    return [];
  }
}

/** Reads and shows the stored conversation. Below it, shows the form, or the reason why the viewer may not ask. */
async function begin() {
  try {
    const [error, kept] = await Promise.all([refusal(), readKept()]);
    if (isSample) turns = [];
    if (turns.length === 0) turns = kept;
    isSample = error?.reason === "operator_disabled" && turns.length === 0;
    if (isSample) turns = sampleTurns();
    showNote(error);
    element("conversation").ariaBusy = "false";
    drawAll();
    if (!isSample) scrollToEnd();
    if (document.activeElement === document.body && matchMedia("(pointer: fine)").matches) field.focus();
  } catch (error) {
    showNote(error, { isFault: true });
  }
}

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
field.addEventListener("keydown", (event) => {
  // On a touch screen, Enter begins a line. While an input method composes a word, Enter takes the word.
  const begins = event.shiftKey || event.isComposing || matchMedia("(pointer: coarse)").matches;
  if (event.key !== "Enter" || begins) return;
  event.preventDefault();
  ask();
});
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && !element("confirm").open) stop?.abort();
});
element("stop").addEventListener("click", () => stop?.abort());
element("anew").addEventListener("click", beginAnew);
element("again").addEventListener("click", begin);
window.addEventListener("online", () => element("note").hidden || begin());
element("turns").addEventListener("click", async ({ target }) => {
  const turn = turns.find(({ id }) => id === target.closest(".turn")?.dataset.id);
  if (turn !== undefined && target.closest(".retry") && stop === null) answered = answer(turn);
  if (turn !== undefined && target.closest(".copy"))
    await navigator.clipboard.writeText(turn.answer).then(
      () => say("Copied."),
      () => warn("The browser does not let this page copy."),
    );
});
element("empty").addEventListener("click", ({ target }) => {
  const idea = target.closest("button");
  if (idea === null) return;
  field.value = idea.textContent;
  field.focus();
});
offerEnd(element("end"), field);
begin();
