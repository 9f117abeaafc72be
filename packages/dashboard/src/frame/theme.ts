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
