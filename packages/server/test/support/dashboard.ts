import { openBrowser } from "./browser.ts";
import type { BrowserKind } from "./chromium.ts";
import { type Dashboard, type DashboardOptions, serveDashboard } from "./serve-dashboard.ts";
import type { Scope } from "./service.ts";

export type { Dashboard } from "./serve-dashboard.ts";

/** Starts a service in dev mode and a browser of this process, as `serveDashboard` does. */
export const startDashboard = (
  scope: Scope,
  options?: DashboardOptions,
  kind?: BrowserKind,
): Promise<Dashboard> => serveDashboard(scope, (own) => openBrowser(own, kind), options);
