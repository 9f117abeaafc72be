import type { Act } from "./act.ts";
import { aiUsage } from "./admin/ai-usage.ts";
import { audit } from "./admin/audit.ts";
import { canvases as adminCanvases } from "./admin/canvases.ts";
import { connectionGrants } from "./admin/connection-grants.ts";
import { connections } from "./admin/connections.ts";
import { orgs } from "./admin/orgs.ts";
import { settings } from "./admin/settings.ts";
import { users } from "./admin/users.ts";
import { callLog } from "./call-log.ts";
import { canvases } from "./canvases.ts";
import { capabilities } from "./capabilities.ts";
import { data } from "./data.ts";
import { invites } from "./invites.ts";
import { me } from "./me.ts";
import { owner } from "./owner.ts";
import { sessions } from "./sessions.ts";
import { sharing } from "./sharing.ts";
import { stagedDeploys } from "./staged-deploys.ts";
import { teams } from "./teams.ts";
import { tokens } from "./tokens.ts";
import { usage } from "./usage.ts";
import { versions } from "./versions.ts";

/** Every operation of the management API. Routes, the audit log and the docs are derived from this list. */
export const ACTS: readonly Act[] = [
  ...me,
  ...sessions,
  ...tokens,
  ...teams,
  ...canvases,
  ...versions,
  ...stagedDeploys,
  ...sharing,
  ...invites,
  ...owner,
  ...capabilities,
  ...usage,
  ...data,
  ...callLog,
  ...users,
  ...adminCanvases,
  ...orgs,
  ...settings,
  ...aiUsage,
  ...connections,
  ...connectionGrants,
  ...audit,
];
