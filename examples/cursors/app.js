import { CHANNEL, pathIn, placeOf, wordsFor } from "./messages.js";
import { createPointer } from "./pointer.js";
import { drawPeople, movePointer, nameOf, removePointer, ripple, say } from "./view.js";

const LOOK = 5000;
const PATIENCE = 3000;
/**
 * When a person pings (marks a point with a ripple), a screen reader says so. For further pings of the same person within this time, in ms,
 * it says nothing.
 */
const QUIET = 3000;

/** The codes of errors after which the connection is closed. Any other error concerns only one message, and the connection stays open. */
const OVER = ["NOT_AUTHENTICATED", "CAPABILITY_DISABLED", "CONNECTION_LIMIT"];

const MESSAGES = {
  NOT_AUTHENTICATED: "You may not be here any more, or you are signed out. Reload this page to see which.",
  CONNECTION_LIMIT:
    "This canvas is full: too many pages are connected to it. Try again when somebody has left.",
  PERMISSION_DENIED: "The policy of this canvas does not let you do this.",
  RATE_LIMITED: "That was a little fast. Wait a moment and try again.",
};

const RESTING = "That was a little fast. The others see your pointer again in a moment.";

const STATES = {
  wait: "Connecting…",
  on: "Connected",
  lost: "Connection lost. Trying again…",
  off: "Not connected",
};

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const element = (id) => document.getElementById(id);
const surface = element("surface");

let me = null;
let channel = null;
let people = new Map();
let greeted = false;
/** Maps the id of a person to the time at which a screen reader was last told about a ping of this person. */
const heard = new Map();
const pointer = createPointer((place) => channel.batch("move")(place));

/** Returns a text that tells a person what to do about an error. If a capability is off, the text is the error's own `hint`. */
function explain(error) {
  if (!error.code) return "A part of this page is missing. Reload it, please.";
  return MESSAGES[error.code] ?? error.hint ?? error.message;
}

/**
 * Shows the state of the connection. After a reconnect, sends the position of the viewer's pointer again, because the other pages have
 * removed it.
 */
function show(state) {
  const note = element("state");
  if (note.dataset.state === state) return;
  note.dataset.state = state;
  note.textContent = STATES[state];
  pointer.open = state === "on";
  if (state === "on") pointer.repeat();
}

function tellTrouble(text) {
  const trouble = element("trouble");
  if (trouble.textContent !== text) trouble.textContent = text;
  trouble.hidden = text === "";
}

/** Shows that the connection has ended. The page connects again only when the person asks for it. */
function stop(error) {
  show("off");
  tellTrouble("");
  for (const id of people.keys()) removePointer(id);
  people = new Map();
  greeted = false;
  drawPeople(people, me ?? {});
  element("failure").querySelector("p").textContent = explain(error);
  element("failure").hidden = false;
}

function refused(error) {
  if (OVER.includes(error.code)) return stop(error);
  tellTrouble(error.code === "RATE_LIMITED" ? RESTING : explain(error));
  pointer.rest();
}

function come(person) {
  people.set(person.id, person);
  drawPeople(people, me);
  say(`${nameOf(person)} is here.`);
  pointer.repeat();
}

function go(person) {
  people.delete(person.id);
  removePointer(person.id);
  drawPeople(people, me);
  say(`${nameOf(person)} has left.`);
}

/** Shows who is present according to the service. After a lost connection these may be other people than before. */
function meet(users) {
  const now = new Map(users.map((user) => [user.id, user]));
  show("on");
  if (greeted) {
    for (const person of people.values()) if (!now.has(person.id)) go(person);
    for (const person of users) if (!people.has(person.id)) come(person);
    return;
  }
  greeted = true;
  people = now;
  drawPeople(people, me);
  const others = users.filter(({ id }) => id !== me.id).map(nameOf);
  const names = new Intl.ListFormat("en").format(others);
  say(others.length === 0 ? "You are the only one here." : `You are here with ${names}.`);
}

/** Handles a message. `from` is the sender, which the service sets, so a page cannot send messages as somebody else. */
function hear({ event, data, from }) {
  // The message has come back to its sender, so it has reached the others.
  if (from.id === me.id) return tellTrouble("");
  const path = pathIn(event === "ping" ? [data] : data);
  if (path === null || !people.has(from.id)) return;
  if (event === "move") movePointer(from, path);
  if (event !== "ping") return;
  // The pointer is not moved here: its path to this place comes with the next batch.
  const [place] = path;
  ripple(from, place);
  const now = performance.now();
  if (now - (heard.get(from.id) ?? -QUIET) < QUIET) return;
  heard.set(from.id, now);
  say(`${nameOf(from)} pings ${wordsFor(place)}.`);
}

async function start() {
  element("failure").hidden = true;
  show("wait");
  try {
    me ??= await easel.me();
    if (channel === null) {
      channel = easel.realtime.channel(CHANNEL);
      channel.onPresence(meet);
      channel.onJoin(come);
      channel.onLeave(go);
      channel.onError(refused);
    }
    await channel.subscribe(hear);
    show("on");
  } catch (error) {
    stop(error);
  }
}

/**
 * Tests the connection by asking the service who is present. If no response comes, shows that the connection is lost; the SDK reconnects by
 * itself.
 */
async function look() {
  const patience = setTimeout(show, PATIENCE, "lost");
  try {
    await channel.presence();
  } catch (error) {
    if (error.code === "DISCONNECTED") show("lost");
  } finally {
    clearTimeout(patience);
  }
}

async function watch() {
  if (["on", "lost"].includes(element("state").dataset.state)) await look();
  setTimeout(watch, LOOK);
}

/**
 * Draws the viewer's own pointer if `isDrawn` is true, and otherwise removes it. `isDrawn` is false for a mouse, because the device shows
 * the pointer of a mouse itself.
 */
function point(place, isDrawn) {
  if (me === null) return;
  if (isDrawn) movePointer({ id: me.id, name: "You" }, [place]);
  else removePointer(me.id);
}

function ping(place) {
  if (element("state").dataset.state !== "on") return say("You are not connected: nobody sees this.");
  pointer.move(place);
  channel.publish("ping", place);
  ripple(me, place);
  say(`You ping ${wordsFor(place)}.`);
}

function placeAt({ clientX, clientY }) {
  const { left, top, width, height } = surface.getBoundingClientRect();
  return placeOf((clientX - left) / width, (clientY - top) / height);
}

function follow(event) {
  const place = placeAt(event);
  pointer.move(place);
  point(place, event.pointerType !== "mouse");
}

const here = () => pointer.here ?? [0.5, 0.5];

function press(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const arrow = ARROWS[event.key];
  if (!arrow && event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  const before = here();
  if (arrow) {
    const step = event.shiftKey ? 0.1 : 0.02;
    const place = placeOf(before[0] + arrow[0] * step, before[1] + arrow[1] * step);
    pointer.move(place);
    if (wordsFor(place) !== wordsFor(before)) say(`You are ${wordsFor(place)}.`);
  } else if (!event.repeat) ping(before);
  point(here(), true);
}

// The surface can have the focus, so that it gets key events.
surface.tabIndex = 0;
surface.addEventListener("pointermove", follow);
surface.addEventListener("pointerdown", follow);
// A click without a `pointerType` comes from a screen reader and has no position of its own.
surface.addEventListener("click", (event) => ping(event.pointerType ? placeAt(event) : here()));
surface.addEventListener("keydown", press);
element("again").addEventListener("click", () => {
  surface.focus({ preventScroll: true });
  start();
});
start();
watch();
