import type { Page } from "./page.ts";

/** Returns the id of the person whose requests `page` sends. */
export const idOf = async (page: Page): Promise<string> => String((await page.get("/me")).json.id);
