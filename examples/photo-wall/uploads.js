import { isPicture, titleOf } from "./photos.js";

/** The maximum number of uploads at a time. */
const AT_ONCE = 2;

/** The time to wait in ms after an upload was refused because of too many requests. The upload is then sent again. */
const PAUSE_MS = 15_000;

const NOT_A_PICTURE = "This is not a picture that can be shown here: PNG, JPEG, GIF, WebP or AVIF.";

const element = (id) => document.getElementById(id);
const list = element("uploads");

/**
 * Sets up the list of uploads. Returns a function that uploads files to a file group (`photos` or `drafts`). It calls
 * `send(file, group, { onProgress, signal })` to upload one file. `explain` returns the text of an error.
 */
export function letUpload({ send, explain, say }) {
  const waiting = [];
  let running = 0;

  function next() {
    while (running < AT_ONCE && waiting.length > 0) {
      running += 1;
      run(waiting.shift()).finally(() => {
        running -= 1;
        next();
      });
    }
  }

  async function run(upload) {
    const { file, group, part, stop } = upload;
    try {
      if (!(await isPicture(file, upload.address))) {
        part(".preview").hidden = true;
        part(".unknown").hidden = false;
        return fail(upload, NOT_A_PICTURE);
      }
      if (stop.signal.aborted) return;
      const onProgress = ({ loaded, total }) => drawProgress(upload, loaded / total);
      while (!(await sent(() => send(file, group, { onProgress, signal: stop.signal }), upload)));
      leave(upload);
    } catch (error) {
      if (!stop.signal.aborted) fail(upload, explain(error), true);
    } finally {
      part("progress").hidden = true;
      part(".note").textContent = "";
    }
  }

  /**
   * Calls `action`, which uploads a file, and returns true if it succeeds. If there were too many requests, waits and returns false: the
   * caller then tries again.
   */
  async function sent(action, { part, stop }) {
    try {
      await action();
      return true;
    } catch (error) {
      if (error.code !== "RATE_LIMITED") throw error;
      part("progress").value = 0;
      part(".note").textContent = "Many requests at once: this one waits a moment…";
      await new Promise((resolve) => {
        setTimeout(resolve, PAUSE_MS);
        stop.signal.addEventListener("abort", resolve);
      });
      stop.signal.throwIfAborted();
      return false;
    }
  }

  function drawProgress({ part }, sent) {
    part("progress").value = sent;
    part(".note").textContent = sent < 1 ? `${Math.floor(sent * 100)}%` : "Almost there…";
  }

  /** Shows why an upload has failed, and lets a person try again where that can help. */
  function fail({ part, row }, text, again = false) {
    row.classList.add("failed");
    part(".problem").textContent = text;
    part(".retry").hidden = !again;
    part(".what").textContent = "Dismiss";
  }

  function queue(upload) {
    const { part, row } = upload;
    upload.stop = new AbortController();
    row.classList.remove("failed");
    part(".problem").textContent = "";
    part(".note").textContent = "Waiting…";
    part(".what").textContent = "Cancel";
    part(".retry").hidden = true;
    part("progress").hidden = false;
    part("progress").value = 0;
    waiting.push(upload);
    next();
  }

  /**
   * Removes the row of an upload. If the focus was in this row, it moves to the next row, to the previous one, or to the button that adds
   * files.
   */
  function leave({ row, address }) {
    const focused = row.contains(document.activeElement);
    const neighbour = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    URL.revokeObjectURL(address);
    if (focused) (neighbour?.querySelector(".cancel") ?? element("add")).focus();
  }

  function cancel(upload) {
    const failed = upload.row.matches(".failed");
    upload.stop.abort();
    const place = waiting.indexOf(upload);
    if (place >= 0) waiting.splice(place, 1);
    leave(upload);
    if (!failed) say(`${upload.title} is not uploaded.`);
  }

  function add(file, group) {
    const row = element("upload").content.firstElementChild.cloneNode(true);
    const part = (selector) => row.querySelector(selector);
    const title = titleOf(file);
    const upload = { file, group, row, part, title, address: URL.createObjectURL(file), stop: null };
    part(".name").textContent = group === "drafts" ? `${title} · only for you` : title;
    part(".preview").src = upload.address;
    part("progress").ariaLabel = `Upload of ${title}`;
    for (const which of row.querySelectorAll(".which")) which.textContent = ` “${title}”`;
    part(".cancel").addEventListener("click", () => cancel(upload));
    part(".retry").addEventListener("click", () => {
      queue(upload);
      part(".cancel").focus();
    });
    list.append(row);
    queue(upload);
  }

  window.addEventListener("beforeunload", (event) => {
    if (running > 0) event.preventDefault();
  });
  return (files, group) => {
    for (const file of files) add(file, group);
  };
}
