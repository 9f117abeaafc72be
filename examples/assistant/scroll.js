/** The maximum distance in pixels from the end of the page at which the reader counts as being at the end. */
const NEAR = 16;

const page = document.documentElement;

const isAtEnd = () => page.scrollHeight - window.innerHeight - window.scrollY <= NEAR;

/** Scrolls to the end of the page. */
export const scrollToEnd = () => window.scrollTo({ top: page.scrollHeight, behavior: "instant" });

/**
 * Calls `change`, which changes the page. If the reader was at the end of the page, scrolls to the new end. Otherwise the scroll position
 * stays as it is.
 */
export function keepEnd(change) {
  const wasAtEnd = isAtEnd();
  change();
  if (wasAtEnd) scrollToEnd();
}

/**
 * Shows a button while the end of the page is out of sight. A click on it scrolls there. Keeps the reader at the end when the form grows, or
 * when the window shrinks because a keyboard is shown.
 */
export function offerEnd(button, field) {
  let wasAtEnd = true;
  const update = () => {
    button.hidden = isAtEnd();
  };
  const stay = () => {
    if (wasAtEnd) scrollToEnd();
    update();
  };
  button.addEventListener("click", () => {
    field.focus({ preventScroll: true });
    scrollToEnd();
  });
  const moved = () => {
    wasAtEnd = isAtEnd();
    update();
  };
  window.addEventListener("scroll", moved, { passive: true });
  window.addEventListener("resize", stay);
  new ResizeObserver(stay).observe(field);
  new ResizeObserver(update).observe(document.body);
}
