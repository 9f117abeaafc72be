import { letRemove, letRename } from "./change.js";
import { letLoad } from "./images.js";
import { learnNames } from "./people.js";
import { GROUPS, readPhotos, titleOf } from "./photos.js";
import { letPick } from "./pick.js";
import { letUpload } from "./uploads.js";
import { draw, newsSince } from "./view.js";
import { letView } from "./viewer.js";
import { keepLooking } from "./watch.js";

/**
 * The number of photos to show at first, and to add each time. Each photo costs a request, and each person has a limited number of requests
 * per minute.
 */
const STEP = 24;

const MESSAGES = {
  NO_GROUPS: "The policy of this canvas has no file group “photos”. Its owner can add one.",
  NOT_AUTHENTICATED: "You are not signed in. Reload this page to sign in.",
  PERMISSION_DENIED: "The policy of this canvas does not let you do this.",
  FILE_TOO_LARGE: "This picture is too large. Make it smaller, please, and add it again.",
  QUOTA_EXCEEDED: "The wall is full. Remove some photos to make room.",
  RATE_LIMITED: "That was a little fast. Wait a moment and try again.",
};

const element = (id) => document.getElementById(id);
const say = (text) => {
  element("status").textContent = text;
};

/** The viewer with their rights, the photos by id, and how many photos of each file group (`photos` and `drafts`) are shown at most. */
const state = { me: null, photos: null, shown: { photos: STEP, drafts: STEP } };
/**
 * Incremented when a write begins and when it ends. If this number changes while a list is read, the list may be stale and is not shown.
 */
let changes = 0;

/** Returns a text that tells a person what to do about an error. If a capability is off, the text is the error's own `hint`. */
function explain(error) {
  if (!error.code) return "A part of this page is missing. Reload it, please.";
  return MESSAGES[error.code] ?? error.hint ?? error.message;
}

/**
 * Reads the photos and shows them, or shows the error. If `anew` is true, also reads the viewer's rights again. Returns whether it
 * succeeded.
 */
async function look(anew) {
  const failure = element("failure");
  const before = changes;
  try {
    if (anew || state.me === null) state.me = await easel.me();
    const photos = await readPhotos(state.me);
    await learnNames([...photos.values()].map(({ uploadedBy }) => uploadedBy));
    if (changes === before) take(photos);
    failure.hidden = true;
    return true;
  } catch (error) {
    const note = failure.querySelector("p");
    const text = explain(error);
    if (note.textContent !== text) note.textContent = text;
    failure.hidden = false;
    element("photos").querySelector(".loading").hidden = true;
    return false;
  }
}

function take(photos) {
  const news = state.photos === null ? "" : newsSince(state.photos, photos);
  state.photos = photos;
  drawAll();
  if (news !== "") say(news);
}

function drawAll() {
  draw(state);
  viewer.redraw();
}

/** Calls `action`, which writes to the service. A list of photos is not shown if it was requested before the write ended. */
async function write(action) {
  changes += 1;
  try {
    return await action();
  } finally {
    changes += 1;
  }
}

/** Uploads a picture, and shows it at once. */
async function send(file, group, options) {
  const { me } = state;
  const { id, name, size } = await easel.files.upload(file, { group, ...options });
  changes += 1;
  const scope = `group:${group}`;
  state.photos.set(id, { id, name, size, mime: file.type, createdAt: Date.now(), scope, uploadedBy: me.id });
  drawAll();
  say(group === "drafts" ? `${titleOf({ name })} is only for you.` : `${titleOf({ name })} is on the wall.`);
}

const page = { state, write, explain, say, drawAll };
const viewer = letView(state);
const rename = letRename(page);
const remove = letRemove(page);
const add = letUpload({ send, explain, say });

for (const group of GROUPS) {
  element(group).addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    const photo = state.photos?.get(button?.closest(".photo")?.dataset.id);
    if (button?.matches(".more")) more(group);
    else if (photo === undefined) return;
    else if (button.matches(".open")) viewer.open(photo);
    else if (button.matches(".rename")) rename(photo);
    else if (button.matches(".remove")) remove(photo);
  });
  letLoad(element(group));
}

/** Shows `STEP` more photos of a file group (`photos` or `drafts`), and moves the focus to the first of them. */
function more(group) {
  const first = state.shown[group];
  state.shown[group] += STEP;
  drawAll();
  element(group).querySelectorAll(".photo .open")[first]?.focus();
}

letPick(
  element,
  (files) => add(files, element("form").elements.group.value),
  () => !element("form").hidden && document.querySelector("dialog[open]") === null,
);
element("form").addEventListener("submit", (event) => event.preventDefault());
// Clears the error message as soon as the person continues, because they have read it by then.
for (const doing of ["pointerdown", "keydown"])
  document.addEventListener(doing, () => {
    element("message").textContent = "";
  });
const lookNow = keepLooking(look);
element("again").addEventListener("click", lookNow);
