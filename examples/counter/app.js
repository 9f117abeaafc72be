import { privateNumber, sharedNumber } from "./numbers.js";

/** The shortest time in ms between two writes. The clicks between two writes are added up and sent together as one write. */
const PAUSE = 600;

const MESSAGES = {
  NOT_AUTHENTICATED: "You are not signed in. Reload this page to sign in.",
  PERMISSION_DENIED: "Only the owner and the editors of this canvas reset the shared number.",
  COLLECTION_NOT_CONFIGURED: "The policy of this canvas has no collection “counts”. Its owner can add one.",
  NOT_NUMERIC: "What is stored is not a number that can grow. Reset it to go on.",
  KEY_LIMIT: "This canvas has no room for another number.",
  CONNECTION_LIMIT: "Many people have this page open. What others change appears here every half minute.",
  RATE_LIMITED: "That was a little fast. Wait a moment and try again.",
};

const element = (id) => document.getElementById(id);

/** Returns a text that tells a person what to do about an error. If a capability is off, the text is the error's own `hint`. */
function explain(error) {
  if (!error.code) return "A part of this page is missing. Reload it, please.";
  return MESSAGES[error.reason ?? error.code] ?? error.hint ?? error.message;
}

function asText(number) {
  const notation = Math.abs(number) < 1e15 ? "standard" : "scientific";
  return number.toLocaleString("en", { notation, maximumFractionDigits: 3 }).replace("-", "−");
}

/** Shows a text in a row of cells, one per character. The cell of a digit contains all ten digits and is scrolled to that digit. */
function roll(row, text) {
  const letters = [...text];
  while (row.children.length > letters.length) row.firstElementChild.remove();
  while (row.children.length < letters.length) row.prepend(document.createElement("span"));
  row.style.setProperty("--length", letters.length);
  for (const [index, letter] of letters.entries()) {
    const cell = row.children[index];
    const kind = /\d/.test(letter) ? "digit" : "sign";
    if (cell.className !== kind) cell.replaceChildren(document.createElement("span"));
    cell.className = kind;
    cell.firstElementChild.textContent = kind === "digit" ? "0\n1\n2\n3\n4\n5\n6\n7\n8\n9" : letter;
    cell.style.setProperty("--digit", kind === "digit" ? letter : 0);
  }
}

/** One counter: a number from `numbers.js`, and the section of the page that shows it. Clicks within `PAUSE` are sent as one increment. */
class Counter {
  #section;
  #number;
  #stored = 0;
  /** The value that the live number had while a write was pending. Undefined if it has not changed since the write began. */
  #seen;
  #sending = 0;
  #waiting = 0;
  #timer = 0;
  #sent = 0;
  #open = 0;
  #queue = Promise.resolve();

  constructor(section, number) {
    this.#section = section;
    this.#number = number;
    this.#part(".more").addEventListener("click", () => this.#add(1));
    this.#part(".less").addEventListener("click", () => this.#add(-1));
    this.#part(".reset").addEventListener("click", () => this.#reset());
    this.#part(".controls").addEventListener("keydown", (event) => {
      const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      this.#add(by);
    });
  }

  /**
   * Shows the buttons that change the number. Shows the button “Reset” only if `resetting` is true, which means that the viewer may reset
   * the number.
   */
  allow(resetting) {
    this.#part(".controls").hidden = false;
    this.#part(".reset").hidden = !resetting;
  }

  /**
   * Shows the value of the number; undefined if nobody has counted yet. While a write is pending, keeps the value until the write has ended,
   * because it may contain the write or not.
   */
  take(value) {
    this.#seen = value ?? 0;
    if (this.#busy) return;
    this.#settle();
    this.#section.classList.remove("loading");
    this.#section.ariaBusy = "false";
    const { empty } = this.#section.dataset;
    if (value === undefined) this.#say(empty);
    else if (this.#part(".news").textContent === empty) this.#say("");
  }

  #settle() {
    this.#stored = this.#seen ?? this.#stored;
    this.#seen = undefined;
    this.#draw();
  }

  get #busy() {
    return this.#timer !== 0 || this.#open !== 0;
  }

  #part(selector) {
    return this.#section.querySelector(selector);
  }

  #say(text, bad = false) {
    this.#part(".news").textContent = text;
    this.#part(".news").classList.toggle("bad", bad);
  }

  #draw() {
    roll(this.#part(".number"), asText(this.#stored + this.#sending + this.#waiting));
    if (!this.#busy) this.#part("output").value = asText(this.#stored);
  }

  #add(by) {
    this.#waiting += by;
    this.#timer ||= setTimeout(() => this.#send(), Math.max(0, this.#sent + PAUSE - Date.now()));
    this.#draw();
  }

  #send() {
    const by = this.#waiting;
    this.#waiting = 0;
    this.#timer = 0;
    this.#sent = Date.now();
    if (by !== 0) this.#change(by, () => this.#number.add(by));
  }

  #reset() {
    const before = this.#stored + this.#sending + this.#waiting;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#waiting = 0;
    this.#change(0, async () => {
      await this.#number.reset();
      if (before !== 0) this.#offerUndo(before);
      return 0;
    });
  }

  /**
   * Shows the button that undoes a reset. The button adds `before`, the number before the reset, to the current number, so that clicks
   * since the reset still count.
   */
  #offerUndo(before) {
    const undo = this.#part(".undo");
    undo.hidden = false;
    if (document.activeElement === this.#part(".reset")) undo.focus();
    undo.onclick = () => {
      undo.hidden = true;
      this.#part(".reset").focus();
      this.#add(before);
    };
  }

  /**
   * Runs `action` after all earlier changes. Until `action` has ended, the page shows the number plus `by`. If `action` fails, it is not
   * repeated.
   */
  #change(by, action) {
    this.#open += 1;
    this.#sending += by;
    this.#queue = this.#queue.then(async () => {
      try {
        this.#stored = await action();
        this.#say(by === 0 ? "Reset to 0." : "");
      } catch (error) {
        this.#say(explain(error), true);
      }
      this.#open -= 1;
      this.#sending -= by;
      if (this.#busy) this.#draw();
      else this.#settle();
    });
  }
}

const NUMBERS = [sharedNumber(), privateNumber()];
const COUNTERS = ["together", "yours"].map((id, n) => new Counter(element(id), NUMBERS[n]));
/** The functions that stop the live numbers. */
let stops = [];

/** Whether the canvas has no live connection for this page, which stays told while data arrives. */
let isLate = false;

function fail(error) {
  isLate = error.code === "CONNECTION_LIMIT";
  element("failure").hidden = false;
  element("failure").querySelector("p").textContent = explain(error);
}

/** Shows both numbers, now and whenever they change. Shows the error if that fails. */
async function begin() {
  for (const stop of stops.splice(0)) stop();
  isLate = false;
  try {
    const rights = await Promise.all(NUMBERS.map((number) => number.resettable()));
    for (const stop of stops.splice(0)) stop();
    stops = COUNTERS.map((counter, n) => {
      const take = (value) => {
        element("failure").hidden = !isLate;
        counter.take(value);
        counter.allow(rights[n]);
      };
      return NUMBERS[n].live(take, fail);
    });
  } catch (error) {
    fail(error);
  }
}

element("again").addEventListener("click", begin);
window.addEventListener("online", () => element("failure").hidden || begin());
begin();
