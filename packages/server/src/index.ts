/*
 * What other programs use of a service in their own process: `easel dev`, and tests of other packages. Modules that work without a service
 * have names of their own in the `exports` of package.json.
 */
export { nameOf, normalEmail, type User, visitor } from "./access/principal.ts";
export { roleOf } from "./access/roles.ts";
export { findForAccess } from "./canvases/access-lookup.ts";
export { setCapabilities } from "./canvases/capabilities.ts";
export { announceAccess } from "./canvases/open-connections.ts";
export { createCanvas } from "./canvases/publishing/create.ts";
export { publishStored, storeVersion } from "./canvases/publishing/deploy.ts";
export { mimeOf } from "./canvases/publishing/representations.ts";
export { setSharing } from "./canvases/sharing.ts";
export { patchCanvas } from "./canvases/update.ts";
export { SetupError } from "./config/setting-types.ts";
export { Passwords } from "./crypto/passwords.ts";
export type { CanvasContent, ServedFile } from "./drivers/canvas-content.ts";
export type { Env } from "./env.ts";
export { Refusal, refuse } from "./http/refusal.ts";
export { cookiesNamed } from "./http/request-headers.ts";
export { identify } from "./identity/identify.ts";
export { createToken } from "./identity/tokens.ts";
export { cleanName, upsertUser } from "./identity/users.ts";
export { isMissing } from "./primitives/logged-calls.ts";
export { type ServeOptions, type Service, serve } from "./service.ts";
