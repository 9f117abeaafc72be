import { groupOf, photosOf, renamed, titleOf } from "./photos.js";
import { elementOf } from "./view.js";

const GONE = "Somebody has removed this photo meanwhile.";

const element = (id) => document.getElementById(id);

/** Returns a function that replaces the name of a photo on the page with a text field. Enter saves the name, Escape cancels. */
export function letRename({ state, write, explain, say, drawAll }) {
  return (photo) => {
    const item = elementOf(photo);
    const form = item.querySelector(".renaming");
    const field = form.querySelector("input");
    const problem = form.querySelector(".problem");

    const close = () => {
      form.hidden = true;
      item.classList.remove("edited");
      item.querySelector(".rename").focus();
    };
    const save = async () => {
      const title = field.value.trim();
      const now = state.photos.get(photo.id);
      if (form.ariaBusy === "true") return;
      if (title === "") problem.textContent = "A photo needs a name.";
      else if (now === undefined || title === titleOf(now)) close();
      else {
        form.ariaBusy = "true";
        try {
          const { name } = await write(() => easel.files.rename(photo.id, renamed(now, title)));
          state.photos.set(photo.id, { ...now, name });
          drawAll();
          close();
          say(`It is called ${title} now.`);
        } catch (error) {
          problem.textContent = error.reason === "NOT_FOUND" ? GONE : explain(error);
        } finally {
          form.ariaBusy = "false";
        }
      }
    };

    form.onsubmit = (event) => {
      event.preventDefault();
      save();
    };
    form.onkeydown = ({ key }) => {
      if (key === "Escape") close();
    };
    form.querySelector(".cancel").onclick = close;
    problem.textContent = "";
    field.value = titleOf(state.photos.get(photo.id));
    form.hidden = false;
    item.classList.add("edited");
    field.select();
  };
}

/** Asks for confirmation before a permanent removal. */
async function confirmed(title, text) {
  const dialog = element("confirm");
  element("confirm-title").textContent = title;
  element("confirm-text").textContent = text;
  dialog.returnValue = "no";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue === "yes";
}

/** Returns a function that removes a photo after a confirmation. The focus moves to the next photo. */
export function letRemove({ state, write, explain, say, drawAll }) {
  return async (photo) => {
    const title = titleOf(photo);
    const group = groupOf(photo);
    const text = group === "drafts" ? "It is gone for good." : "It is gone for good, for everyone.";
    if (!(await confirmed(`Remove “${title}”?`, text))) return;
    const place = photosOf(group, state.photos).findIndex(({ id }) => id === photo.id);
    try {
      await write(() => easel.files.delete(photo.id));
    } catch (error) {
      if (error.code !== "NOT_FOUND") {
        element("message").textContent = explain(error);
        return;
      }
    }
    state.photos.delete(photo.id);
    drawAll();
    const next = photosOf(group, state.photos);
    const item = next.length > 0 ? elementOf(next[Math.min(place, next.length - 1)]) : null;
    (item?.querySelector(".open") ?? document.querySelector("section:not([hidden]) h2")).focus();
    say(`${title} is removed.`);
  };
}
