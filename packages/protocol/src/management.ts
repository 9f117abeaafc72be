// The types of the responses of the management API, except Account, Canvas and DeployedCanvas, which are in types.ts. Times are in epoch
// milliseconds.

export * from "./management/account.ts";
export * from "./management/activity.ts";
export * from "./management/apps.ts";
export * from "./management/audit.ts";
export * from "./management/canvases.ts";
export * from "./management/connections.ts";
export * from "./management/data.ts";
export * from "./management/instance.ts";
export * from "./management/organisations.ts";
export * from "./management/people.ts";
export * from "./management/sharing.ts";
export * from "./management/teams.ts";
export * from "./management/usage.ts";
