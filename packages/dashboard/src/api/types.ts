import type { paths } from "../../../cli/dist-types/management-api.d.ts";

/** The body of a successful GET of the management API. */
type Read<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

/* What the management API returns, as its OpenAPI document describes it. */

export type Me = Read<"/api/me">;
/** What the caller uses of their own quotas, and of AI today. */
export type OwnUsage = Read<"/api/me/usage">;
/** Which mails the caller gets, and whether the instance sends any. */
export type OwnMails = Read<"/api/me/mails">;
export type Canvas = Read<"/api/canvases/{id}">;
export type CanvasList = Read<"/api/canvases">;
/** A canvas in a list. In the trash, it has the times of its deletion and of its end. */
export type ListedCanvas = CanvasList["canvases"][number];
export type Version = Read<"/api/canvases/{id}/versions">["versions"][number];
export type Usage = Read<"/api/canvases/{id}/usage">;
/** How much data a canvas stores. */
export type DataSummary = Read<"/api/canvases/{id}/data">;
/** What somebody has changed on a canvas. */
export type Activity = Read<"/api/canvases/{id}/activity">["entries"][number];
export type CallLog = Read<"/api/canvases/{id}/log">;
/** A call to the backend of a canvas that was refused or failed. */
export type Call = CallLog["entries"][number];
export type Session = Read<"/api/sessions">["sessions"][number];
/** A connected tool: what a person has allowed one program to do. */
export type ConnectedTool = Read<"/api/apps">["apps"][number];
export type Team = Read<"/api/teams">["teams"][number];
export type FoundPerson = Read<"/api/people">["people"][number];
export type Invitation = Read<"/api/canvases/{id}/invites">["invites"][number];
/** Whether a person gets into a canvas, and why. */
export type Explanation = Read<"/api/canvases/{id}/access">;
export type VersionFile = Read<"/api/canvases/{id}/versions/{version}/files">["files"][number];

/* What administrators see. */

export type AdminUser = Read<"/api/admin/users">["users"][number];
/** A person with what they use and what lets them in. */
export type AdminPerson = Read<"/api/admin/users/{id}">;
export type Handover = Read<"/api/admin/users/{id}/handover">;
/** A guest whom a person has invited. */
export type InvitedGuest = Read<"/api/admin/users/{id}/guests">["guests"][number];
/** The programs that people have connected. */
export type ToolsInUse = Read<"/api/admin/apps">;
export type AdminCanvas = Read<"/api/admin/canvases">["canvases"][number];
export type Organisation = Read<"/api/admin/orgs">["orgs"][number];
export type ConnectionProfile = Read<"/api/admin/connections">["connections"][number];
export type ProfileUsage = Read<"/api/admin/connections/{profile}/usage">;
