import { letWrite } from "./editor.js";
import { drawList, itemOf } from "./list.js";
import { explain } from "./messages.js";
import { SOURCE } from "./records.js";

/** The time in ms after which a visible page reads the list again. The canvases can also be changed in other windows. */
const LOOK_MS = 30_000;

const element = (id) => document.getElementById(id);
const say = (text) => {
  element("status").textContent = text;
};

/** The canvases that the viewer has published with this page, by id. */
let canvases = new Map();
/** Incremented with every change. A list that was requested before a change is stale and is not shown. */
let changes = 0;

const drawAll = () => drawList([...canvases.values()]);

function put(canvas) {
  changes += 1;
  canvases.set(canvas.id, canvas);
  drawAll();
}

/** Reads the list and shows it, or shows the error. */
async function look() {
  const before = changes;
  const failure = element("failure");
  try {
    const all = await easel.canvases.list({ sourceApp: SOURCE });
    if (changes !== before) return;
    canvases = new Map(all.map((canvas) => [canvas.id, canvas]));
    drawAll();
    writer.allow(true);
    failure.hidden = true;
    element("pages").hidden = false;
  } catch (error) {
    const note = failure.querySelector("p");
    const text = explain(error);
    if (note.textContent !== text) note.textContent = text;
    failure.classList.toggle("calm", error.reason === "operator_disabled");
    failure.hidden = false;
    // A viewer who may not read the list may not publish either.
    if (error.status === 403) writer.allow(false);
    element("pages").hidden = canvases.size === 0;
  }
}

const writer = letWrite({
  say,
  done(canvas, isNew) {
    put(canvas);
    const item = itemOf(canvas.id);
    item.classList.add("fresh");
    item.querySelector(".open").focus();
    say(isNew ? `“${canvas.title}” is published.` : `“${canvas.title}” is changed.`);
    look();
  },
  /**
   * Called when publishing has failed. Shows the canvas `current` of the error, as the service has stored it. If the error has no
   * `current`, reads and shows the list of canvases.
   */
  async failed({ code, id, current }) {
    if (current) {
      put(current);
      writer.rebase(current);
      return;
    }
    await look();
    const draft = code === "PUBLISH_FAILED" ? canvases.get(id) : undefined;
    if (draft) writer.rebase(draft);
    else if (code === "NOT_FOUND" && !canvases.has(writer.edited())) writer.rebase(null);
  },
  left: ({ id }) => itemOf(id)?.querySelector(".edit").focus(),
});

/** Asks the viewer to confirm that a page is taken down. Resolves with true if the viewer confirms. */
async function confirmed({ title }) {
  const dialog = element("confirm");
  element("confirm-title").textContent = `Take down “${title}”?`;
  dialog.returnValue = "no";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue === "yes";
}

async function revoke(canvas) {
  const { id, title } = canvas;
  if (!(await confirmed(canvas))) return;
  element("message").textContent = "";
  changes += 1;
  try {
    await easel.canvases.revoke(id);
    if (writer.edited() === id) writer.begin();
    say(`“${title}” is taken down.`);
  } catch (error) {
    element("message").textContent =
      error.code === "NOT_FOUND" ? `“${title}” is gone already.` : explain(error);
  }
  changes += 1;
  await look();
  (itemOf(id)?.querySelector(".edit") ?? element("pages-title")).focus();
}

element("list").addEventListener("click", ({ target }) => {
  const canvas = canvases.get(target.closest(".item")?.dataset.id);
  if (canvas === undefined) return;
  if (target.closest(".edit")) writer.edit(canvas);
  if (target.closest(".revoke")) revoke(canvas);
});
element("again").addEventListener("click", look);

async function keepLooking() {
  if (!document.hidden) await look();
  setTimeout(keepLooking, LOOK_MS);
}

document.addEventListener("visibilitychange", () => document.hidden || look());
window.addEventListener("online", look);
keepLooking();
