import type { Fault } from "./fault.ts";
import { activity } from "./faults/activity.ts";
import { administration } from "./faults/administration.ts";
import { admission } from "./faults/admission.ts";
import { ai } from "./faults/ai.ts";
import { backups } from "./faults/backups.ts";
import { bus } from "./faults/bus.ts";
import { callLog } from "./faults/call-log.ts";
import { canvases } from "./faults/canvases.ts";
import { cli } from "./faults/cli.ts";
import { cliAccount } from "./faults/cli-account.ts";
import { cliCanvases } from "./faults/cli-canvases.ts";
import { cliDev } from "./faults/cli-dev.ts";
import { confirmation } from "./faults/confirmation.ts";
import { connectedTools } from "./faults/connected-tools.ts";
import { connections } from "./faults/connections.ts";
import { dashboard } from "./faults/dashboard.ts";
import { dashboardPolicy } from "./faults/dashboard-policy.ts";
import { data } from "./faults/data.ts";
import { database } from "./faults/database.ts";
import { explanations } from "./faults/explanations.ts";
import { identities } from "./faults/identities.ts";
import { lettingGo } from "./faults/letting-go.ts";
import { mail } from "./faults/mail.ts";
import { mcpReading } from "./faults/mcp-reading.ts";
import { nodes } from "./faults/nodes.ts";
import { oauth } from "./faults/oauth.ts";
import { oauthApps } from "./faults/oauth-apps.ts";
import { oauthClients } from "./faults/oauth-clients.ts";
import { observation } from "./faults/observation.ts";
import { openapi } from "./faults/openapi.ts";
import { pageViews } from "./faults/page-views.ts";
import { people } from "./faults/people.ts";
import { react } from "./faults/react.ts";
import { realtime } from "./faults/realtime.ts";
import { requests } from "./faults/requests.ts";
import { s3 } from "./faults/s3.ts";
import { scim } from "./faults/scim.ts";
import { sdk } from "./faults/sdk.ts";
import { serving } from "./faults/serving.ts";
import { shell } from "./faults/shell.ts";
import { tokens } from "./faults/tokens.ts";
import { toolCalls } from "./faults/tool-calls.ts";
import { toolsThatDeploy } from "./faults/tools-that-deploy.ts";
import { transfers } from "./faults/transfers.ts";
import { work } from "./faults/work.ts";

/**
 * The faults, spread over the parts of the service and the SDK. If code has changed, `run.ts` lists the texts that must be adapted in them.
 */
export const FAULTS: Fault[] = [
  ...requests,
  ...admission,
  ...explanations,
  ...canvases,
  ...database,
  ...backups,
  ...callLog,
  ...activity,
  ...serving,
  ...shell,
  ...observation,
  ...pageViews,
  ...dashboard,
  ...dashboardPolicy,
  ...data,
  ...toolsThatDeploy,
  ...transfers,
  ...mcpReading,
  ...nodes,
  ...bus,
  ...administration,
  ...identities,
  ...lettingGo,
  ...scim,
  ...mail,
  ...people,
  ...tokens,
  ...confirmation,
  ...oauth,
  ...oauthApps,
  ...oauthClients,
  ...toolCalls,
  ...work,
  ...cliAccount,
  ...openapi,
  ...realtime,
  ...ai,
  ...connectedTools,
  ...connections,
  ...cliCanvases,
  ...s3,
  ...sdk,
  ...cli,
  ...cliDev,
  ...react,
];
