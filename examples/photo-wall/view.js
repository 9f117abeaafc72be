import { show } from "./images.js";
import { nameOf } from "./people.js";
import { GROUPS, groupOf, isPhoto, may, photosOf, rightsOn, titleOf } from "./photos.js";

const element = (id) => document.getElementById(id);
const DAY = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

/** Returns the element of a photo that is on the page. */
export const elementOf = ({ id }) => document.querySelector(`.photo[data-id="${CSS.escape(id)}"]`);

/** Returns a text that says who has uploaded a photo, and when. */
export function bylineOf({ uploadedBy, createdAt }, me) {
  const who = uploadedBy === me.id ? "you" : nameOf(uploadedBy);
  return `by ${who} · ${DAY.format(createdAt)}`;
}

/** Updates the element of a photo, or creates it if there is none, and returns it. Elements are reused, so that pictures load only once. */
function itemOf(photo, me) {
  const known = elementOf(photo);
  const item = known ?? element("photo").content.firstElementChild.cloneNode(true);
  const part = (selector) => item.querySelector(selector);
  const title = titleOf(photo);
  if (known === null) {
    item.dataset.id = photo.id;
    show(part("img"), isPhoto(photo) ? easel.files.url(photo.id) : null);
    item.classList.toggle("fresh", element("photos").ariaBusy === "false");
  }
  part("img").alt = title;
  part(".name").textContent = title;
  part(".by").textContent = bylineOf(photo, me);
  part(".rename").hidden = !may("update", photo, me);
  part(".remove").hidden = !may("delete", photo, me);
  for (const which of item.querySelectorAll(".which")) which.textContent = ` “${title}”`;
  return item;
}

function drawGroup(group, { me, photos, shown }) {
  const section = element(group);
  const all = photosOf(group, photos);
  const list = section.querySelector("ol");
  const items = all.slice(0, shown[group]).map((photo) => itemOf(photo, me));
  for (const item of [...list.children]) if (!items.includes(item)) item.remove();
  for (const [place, item] of items.entries())
    if (list.children[place] !== item) list.insertBefore(item, list.children[place] ?? null);
  section.querySelector(".count").textContent = all.length || "";
  section.querySelector(".more").hidden = all.length <= shown[group];
  return all.length;
}

/**
 * Shows the photos and the form. In `state`, `photos` maps ids to photos, `shown` maps each group to the number of photos to show at most,
 * and `me` is the viewer.
 */
export function draw(state) {
  const focused = document.activeElement;
  const home = focused.closest("section");
  const [photos, drafts] = GROUPS.map((group) => drawGroup(group, state));
  element("photos").querySelector(".empty").hidden = photos > 0;
  element("photos").querySelector(".loading").hidden = true;
  element("photos").ariaBusy = "false";
  element("drafts").hidden = drafts === 0;
  drawForm(state.me);
  if (home !== null && !focused.isConnected)
    (home.hidden ? element("photos") : home).querySelector("h2").focus();
}

/**
 * Enables the radio buttons of the file groups to which the viewer may upload, and disables the others. Hides the form if the viewer may
 * upload to none.
 */
function drawForm(me) {
  const allowed = GROUPS.filter((group) => rightsOn(group, me)?.create.own);
  const choices = [...element("where").elements];
  for (const input of choices) input.disabled = !allowed.includes(input.value);
  const chosen = choices.find((input) => input.checked && !input.disabled);
  const first = choices.find((input) => !input.disabled);
  if (chosen === undefined && first !== undefined) first.checked = true;
  element("form").hidden = allowed.length === 0;
}

/** Returns a short summary of what others have changed between two states of the wall. */
export function newsSince(before, photos) {
  const news = [];
  for (const [id, photo] of photos) {
    const was = before.get(id);
    if (was === undefined) news.push(`New: ${titleOf(photo)}, by ${nameOf(photo.uploadedBy)}.`);
    else if (was.name !== photo.name) news.push(`${titleOf(was)} is called ${titleOf(photo)} now.`);
  }
  for (const [id, photo] of before)
    if (!photos.has(id) && groupOf(photo) === "photos") news.push(`Removed: ${titleOf(photo)}.`);
  return news.length > 3 ? `${news.length} photos have changed.` : news.join(" ");
}
