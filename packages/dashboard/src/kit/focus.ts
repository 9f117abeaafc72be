/** Moves the focus to the content of the screen: after an act that takes away the control that performed it. */
export const focusContent = (): void => document.getElementById("main")?.focus();
