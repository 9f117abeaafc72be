import { letLoad, show } from "./images.js";
import { groupOf, isPhoto, photosOf, titleOf } from "./photos.js";
import { bylineOf, elementOf } from "./view.js";

const element = (id) => document.getElementById(id);

/**
 * Sets up the dialog that shows one photo in large. Returns `open`, which shows a photo in the dialog, and `redraw`, which updates the
 * dialog after photos have changed.
 */
export function letView(state) {
  const dialog = element("viewer");
  /** The photo in the dialog, or null while the dialog is closed. */
  let shown = null;
  /** The index of `shown` among the photos of its group. */
  let place = 0;

  function draw() {
    const all = photosOf(groupOf(shown), state.photos);
    const found = all.findIndex(({ id }) => id === shown.id);
    // If the photo was removed, the next one, which now has its index, is shown instead.
    const photo = all[found === -1 ? Math.min(place, all.length - 1) : found];
    if (photo === undefined) return dialog.close();
    if (photo.id !== dialog.dataset.id)
      show(element("large"), isPhoto(photo) ? easel.files.url(photo.id) : null);
    shown = photo;
    place = all.indexOf(photo);
    dialog.dataset.id = photo.id;
    element("large").alt = titleOf(photo);
    element("viewer-title").textContent = titleOf(photo);
    element("viewer-by").textContent = bylineOf(photo, state.me);
    element("place").textContent = `${place + 1} of ${all.length}`;
    element("original").href = easel.files.url(photo.id);
    for (const id of ["previous", "next"]) element(id).hidden = all.length < 2;
  }

  /** Shows the photo that is `by` positions further. After the last photo comes the first. */
  function step(by) {
    const all = photosOf(groupOf(shown), state.photos);
    shown = all.at((place + by) % all.length);
    draw();
  }

  element("previous").addEventListener("click", () => step(-1));
  element("next").addEventListener("click", () => step(1));
  element("close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowLeft") step(-1);
    if (key === "ArrowRight") step(1);
  });
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || target.matches("figure")) dialog.close();
  });
  dialog.addEventListener("close", () => {
    const tile = elementOf(shown) ?? element(groupOf(shown));
    (tile.querySelector(".open") ?? tile.querySelector("h2")).focus();
    shown = null;
    delete dialog.dataset.id;
    element("large").removeAttribute("src");
  });
  letLoad(dialog);

  return {
    open(photo) {
      shown = photo;
      draw();
      dialog.showModal();
    },
    redraw() {
      if (shown !== null) draw();
    },
  };
}
