import { readPreference, storePreference } from "./preferences.ts";

/** The colour schemes that a person can choose. `system` follows the browser. */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const currentTheme = (): Theme => readPreference("theme", THEMES);

/** Shows the page in the stored colour scheme. */
export function applyTheme(theme = currentTheme()): void {
  document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  storePreference("theme", theme);
  applyTheme(theme);
}

/** Whether things move on the page. `system` follows the browser. */
export type Motion = "system" | "less";

export const currentMotion = (): Motion => readPreference("motion", ["system", "less"]);

/** Lets things move on the page as the stored preference says. */
export function applyMotion(motion = currentMotion()): void {
  document.documentElement.dataset.motion = motion;
}

export function chooseMotion(motion: Motion): void {
  storePreference("motion", motion);
  applyMotion(motion);
}
