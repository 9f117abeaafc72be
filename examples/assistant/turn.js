import { MAX_TOKENS } from "./model.js";
import { showText } from "./text.js";

const COST = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 2 });
const COUNT = new Intl.NumberFormat("en");

const items = new WeakMap();

function create(turn) {
  const { id, question } = turn;
  const item = document.getElementById("turn").content.firstElementChild.cloneNode(true);
  item.dataset.id = id;
  item.querySelector(".question").textContent = question;
  // Pages without TLS, other than on this machine, cannot write to the clipboard.
  if (navigator.clipboard === undefined) item.querySelector(".copy").remove();
  items.set(turn, item);
  return item;
}

/**
 * Returns a text with the tokens and the cost of an answer, such as `1,204 tokens read, 96 written · $0.0017`. Returns `Stopped` for a
 * stopped answer, and an empty text if the usage is unknown.
 */
function factsOf({ state, usage, cost }) {
  if (state === "stopped") return "Stopped";
  if (!usage) return "";
  const { outputTokens, ...input } = usage;
  const read = Object.values(input).reduce((sum, tokens) => sum + tokens, 0);
  const facts = [
    `${COUNT.format(read)} tokens read, ${COUNT.format(outputTokens)} written`,
    COST.format(cost),
    ...(outputTokens >= MAX_TOKENS ? ["cut off at the limit"] : []),
  ];
  return facts.join(" · ");
}

/**
 * Updates the element of a turn, or creates it, and returns it. `isLast` says whether the turn is the last one, which can be repeated if it
 * failed or was stopped. `isCut` says that the turns before this one are no longer sent to the model.
 */
export function drawTurn(turn, { isLast, isCut }) {
  const item = items.get(turn) ?? create(turn);
  const part = (name) => item.querySelector(`.${name}`);
  const { answer, state, problem } = turn;
  item.dataset.state = state;
  item.ariaBusy = String(state === "open");
  showText(part("answer"), answer);
  part("cut").hidden = !isCut;
  part("waiting").hidden = state !== "open";
  part("problem").textContent = problem;
  part("facts").textContent = factsOf(turn);
  part("retry").hidden = !isLast || !["failed", "stopped"].includes(state);
  if (part("copy") !== null) part("copy").hidden = state === "open" || answer === "";
  return item;
}

/** Returns the answer of a turn as it is read aloud: without the marks of code and bold text. */
export const spoken = (turn) =>
  [...items.get(turn).querySelectorAll(".answer > *")].map(({ textContent }) => textContent).join("\n");
