import { access } from "./access.ts";
import { mails, me, sessions, usage } from "./account.ts";
import type { Act } from "./act.ts";
import { activity } from "./activity.ts";
import { adminApps } from "./admin/apps.ts";
import { canvases as adminCanvases } from "./admin/canvases.ts";
import { connectionGrants, connections, connectionTests } from "./admin/connections.ts";
import { credentials } from "./admin/credentials.ts";
import { identities } from "./admin/identities.ts";
import { instance } from "./admin/instance.ts";
import { orgs } from "./admin/orgs.ts";
import { ownData, personalData } from "./admin/personal-data.ts";
import { aiUsage, audit } from "./admin/reports.ts";
import { settings } from "./admin/settings.ts";
import { users } from "./admin/users.ts";
import { apps } from "./apps.ts";
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
  ...mails,
  ...ownData,
  ...sessions,
  ...tokens,
  ...apps,
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
  ...credentials,
  ...personalData,
  ...identities,
  ...adminApps,
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

const BY_NAME = new Map(ACTS.map((act) => [act.name, act]));

/** Returns the act with a name, for callers in the same process. `Body` is the type of its response. Throws an error if there is none. */
export function actNamed<Body>(name: string): Act<Body> {
  const act = BY_NAME.get(name);
  if (act === undefined) throw new Error(`there is no act ${name}`);
  return act as Act<Body>;
}
