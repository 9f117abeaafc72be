import { api, bodyOf } from "../api/client.ts";
import { meQuery, queries } from "../api/queries.ts";

/**
 * Hides the page while the browser keeps it for its back button. When it comes back, it is shown only to the person who has left it: otherwise, or
 * if the service cannot be asked, it is loaded anew.
 */
export function guardRestores(): void {
  const page = document.documentElement;
  addEventListener("pagehide", ({ persisted }) => {
    if (persisted) page.hidden = true;
  });
  addEventListener("pageshow", async ({ persisted }) => {
    if (!persisted) return;
    const before = queries.getQueryData(meQuery.queryKey)?.id;
    const me = await bodyOf(api.GET("/api/me")).catch(() => null);
    if (me === null || me.id !== before) location.reload();
    else page.hidden = false;
  });
}
