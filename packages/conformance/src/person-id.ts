import type { Page } from "./page.ts";

/** Returns the id of the caller of a page. */
export const idOf = async (page: Page): Promise<string> => String((await page.get("/me")).json.id);
