/** Moves the focus to the content of the screen: after an act that takes away the control that performed it. */
export const focusContent = (): void => document.getElementById("main")?.focus();

/** Does so if the act has taken the focus with it, once the screen shows what the act has changed. */
export const keepFocus = (): void => {
  requestAnimationFrame(() => {
    if (document.activeElement === null || document.activeElement === document.body) focusContent();
  });
};
