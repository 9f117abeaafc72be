import { STEP } from "./messages.js";

const TONES = 8;
/** The maximum number of rings that show clicks of one person at the same time. */
const RIPPLES = 3;

const element = (id) => document.getElementById(id);
const fromTemplate = (id) => element(id).content.firstElementChild.cloneNode(true);
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

/** The elements of the pointers on the page, by the id of the person. */
const pointers = new Map();

/** Returns the display name of a person. */
export const nameOf = ({ name }) => name || "Somebody";

/** The colours of the people present, by the id of the person. */
const tones = new Map();

/** Derives a colour from each person's id, so that all pages show the same colours. If a colour is in use, takes the next one. */
function colour(people) {
  for (const id of tones.keys()) if (!people.has(id)) tones.delete(id);
  for (const id of people.keys()) {
    if (tones.has(id)) continue;
    let tone = [...id].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % TONES;
    const taken = new Set(tones.values());
    while (taken.has(tone) && taken.size < TONES) tone = (tone + 1) % TONES;
    tones.set(id, tone);
  }
}

const shift = ([x, y]) => `${x * 100}% ${y * 100}%`;

/** Shows the people present, the viewer first. The elements of new people get the class `fresh`. */
export function drawPeople(people, me) {
  colour(people);
  const known = new Set([...element("people").children].map((item) => item.dataset.id));
  const others = [...people.values()].filter(({ id }) => id !== me.id);
  const items = [...(people.has(me.id) ? [people.get(me.id)] : []), ...others].map((person) => {
    const item = fromTemplate("person");
    item.dataset.id = person.id;
    item.dataset.tone = tones.get(person.id);
    item.classList.toggle("fresh", known.size > 0 && !known.has(person.id));
    item.querySelector(".name").textContent = `${nameOf(person)}${person.id === me.id ? " (you)" : ""}`;
    return item;
  });
  element("people").replaceChildren(...items);
  element("count").textContent = items.length || "";
  element("alone").hidden = items.length === 0 || others.length > 0;
}

function pointerOf({ id }) {
  const known = pointers.get(id);
  if (known) return known;
  const pointer = fromTemplate("pointer");
  pointer.dataset.id = id;
  pointer.dataset.tone = tones.get(id) ?? 0;
  pointers.set(id, pointer);
  return pointer;
}

/**
 * Moves a person's pointer along a path as fast as that person moved it. If the viewer prefers reduced motion, puts the pointer at the end
 * of the path.
 */
export function movePointer(person, path) {
  const isNew = !pointers.has(person.id);
  const pointer = pointerOf(person);
  const from = getComputedStyle(pointer).translate;
  const [x, y] = path.at(-1);
  for (const motion of pointer.getAnimations()) motion.cancel();
  pointer.querySelector(".tag").textContent = nameOf(person);
  pointer.classList.toggle("to-left", x > 0.6);
  pointer.classList.toggle("above", y > 0.85);
  pointer.style.translate = shift([x, y]);
  // The element is appended only now, with the name in it: Chromium does not update the text direction of a clone of an empty element.
  if (isNew) element("pointers").append(pointer);
  if (isNew || isStill.matches) return;
  const frames = [from, ...path.map(shift)].map((translate) => ({ translate }));
  pointer.animate(frames, path.length * STEP);
}

/** Removes a person's pointer. */
export function removePointer(id) {
  pointers.get(id)?.remove();
  pointers.delete(id);
}

/** Shows a ring at a place that a person has clicked. The ring disappears after its animation. */
export function ripple({ id }, place) {
  const mine = element("pointers").querySelectorAll(".ripple");
  const same = [...mine].filter((each) => each.dataset.id === id);
  if (same.length >= RIPPLES) same.at(-1).remove();
  const ring = fromTemplate("ripple");
  ring.dataset.id = id;
  ring.dataset.tone = tones.get(id) ?? 0;
  ring.style.translate = shift(place);
  ring.addEventListener("animationend", ({ pseudoElement }) => pseudoElement || ring.remove());
  element("pointers").prepend(ring);
}

let news = [];

/** Lets screen readers announce a text. Texts within a quarter of a second are announced together, at most the last three. */
export function say(text) {
  news.push(text);
  if (news.length > 1) return;
  setTimeout(() => {
    element("news").textContent = news.slice(-3).join(" ");
    news = [];
  }, 250);
}
