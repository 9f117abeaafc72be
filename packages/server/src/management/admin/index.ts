import type { Routes } from "../route.ts";
import { audit } from "./audit.ts";
import { canvases } from "./canvases.ts";
import { forAdmins } from "./guard.ts";
import { orgs } from "./orgs.ts";
import { settings } from "./settings.ts";
import { users } from "./users.ts";

/** Everything under `/api/admin`. It gives nobody a way into a canvas. */
export const admin: Routes[] = [users, canvases, orgs, settings, audit].map(forAdmins);
