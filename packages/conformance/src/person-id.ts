import type { Page } from "./page.ts";

/** Returns the id that the service has for the caller of a page. */
export const idOf = async (page: Page): Promise<string> => String((await page.get("/me")).json.id);
