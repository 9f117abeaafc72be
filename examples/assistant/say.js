/** The time in ms after which an announcement is removed, so that readers do not find an answer twice on the page. */
const SAID_MS = 10_000;

let silence = 0;

/** Announces a text to screen readers, without showing it. */
export function say(text) {
  const status = document.getElementById("status");
  status.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => {
    status.textContent = "";
  }, SAID_MS);
}

/** Shows and announces a warning beside the form. The empty text removes it. */
export function warn(text) {
  document.getElementById("message").textContent = text;
}
