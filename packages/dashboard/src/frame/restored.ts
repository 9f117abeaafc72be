/**
 * Hides the page while the browser keeps it for its back button, and loads it anew when it comes back, so that it is shown to nobody but the person
 * who is signed in then. Few browsers keep it at all: it has `no-store`, and so has what it reads.
 */
export function guardRestores(): void {
  addEventListener("pagehide", ({ persisted }) => {
    document.documentElement.hidden = persisted;
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload();
  });
}
