import { access } from "./access.ts";
import { me, sessions, usage } from "./account.ts";
import type { Act } from "./act.ts";
import { activity } from "./activity.ts";
import { canvases as adminCanvases } from "./admin/canvases.ts";
import { connectionGrants, connections, connectionTests } from "./admin/connections.ts";
import { instance } from "./admin/instance.ts";
import { orgs } from "./admin/orgs.ts";
import { aiUsage, audit } from "./admin/reports.ts";
import { settings } from "./admin/settings.ts";
import { users } from "./admin/users.ts";
import { canvases } from "./canvases.ts";
import { callLog, capabilities, grantedConnections } from "./capabilities.ts";
import { data } from "./data.ts";
import { people } from "./people.ts";
import { invites, owner, sharing } from "./sharing.ts";
import { stagedDeploys } from "./staged-deploys.ts";
import { teams } from "./teams.ts";
import { tokens } from "./tokens.ts";
import { versions } from "./versions.ts";

/** Every operation of the management API. Routes, the audit log and the docs are derived from this list. */
export const ACTS: readonly Act[] = [
  ...me,
  ...sessions,
  ...tokens,
  ...teams,
  ...people,
  ...canvases,
  ...versions,
  ...stagedDeploys,
  ...sharing,
  ...access,
  ...invites,
  ...owner,
  ...capabilities,
  ...grantedConnections,
  ...usage,
  ...data,
  ...callLog,
  ...activity,
  ...users,
  ...adminCanvases,
  ...orgs,
  ...settings,
  ...instance,
  ...aiUsage,
  ...connections,
  ...connectionTests,
  ...connectionGrants,
  ...audit,
];
