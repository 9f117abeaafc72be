/**
 * The time in ms after which the text of an announcement is removed from the page. Otherwise a screen reader would find an answer twice.
 */
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

/** Shows a warning beside the form and announces it to screen readers. An empty text removes the warning. */
export function warn(text) {
  document.getElementById("message").textContent = text;
}
