import type { Page } from "./page.ts";

/** Who a page's visitor is to the service. */
export const idOf = async (page: Page): Promise<string> => String((await page.get("/me")).json.id);
