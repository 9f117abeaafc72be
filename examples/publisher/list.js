import { audienceOf, isServed, noteOf, stateOf, timeOf } from "./records.js";

const element = (id) => document.getElementById(id);

/** Returns the element of a canvas in the list, or null. */
export const itemOf = (id) => document.querySelector(`.item[data-id="${CSS.escape(id)}"]`);

/** Creates or updates the element of a canvas. Elements are reused, so that they keep the focus. */
function drawItem(canvas) {
  const item = itemOf(canvas.id) ?? element("item").content.firstElementChild.cloneNode(true);
  const part = (selector) => item.querySelector(selector);
  const { id, title, url, version, updatedAt, publicationStatus } = canvas;
  item.dataset.id = id;
  item.dataset.state = publicationStatus;
  part(".name").textContent = title;
  part(".state").textContent = stateOf(canvas);
  part(".audience").textContent = audienceOf(canvas);
  part(".changed").textContent = timeOf(updatedAt);
  part(".version").textContent = version === null ? "none" : version.slice(-6);
  part(".note").textContent = noteOf(canvas);
  part(".open").href = url;
  part(".open").textContent = url.replace(/^https?:\/\//, "");
  part(".open").hidden = !isServed(canvas);
  part(".edit").hidden = publicationStatus === "disabled" || publicationStatus === "archived";
  part(".revoke").hidden = publicationStatus === "unpublished" || part(".edit").hidden;
  for (const which of item.querySelectorAll(".which")) which.textContent = ` “${title}”`;
  return item;
}

/** Shows canvases, the newest first. If this removes the focused element, the heading gets the focus. */
export function drawList(canvases) {
  const list = element("list");
  const focused = document.activeElement;
  const inside = list.contains(focused);
  const items = canvases.toSorted((one, other) => other.createdAt - one.createdAt).map(drawItem);
  for (const item of [...list.children]) if (!items.includes(item)) item.remove();
  for (const [place, item] of items.entries())
    if (list.children[place] !== item) list.insertBefore(item, list.children[place] ?? null);
  element("empty").hidden = items.length > 0;
  element("count").textContent = items.length || "";
  element("pages").ariaBusy = "false";
  if (inside && (!focused.isConnected || focused.hidden)) element("pages-title").focus();
}
