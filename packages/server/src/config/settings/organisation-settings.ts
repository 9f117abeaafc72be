import { oauthClients as clients } from "../oauth-clients.ts";
import { onOff, setting } from "../setting-types.ts";

/** Settings of an organisation: with which programs and organisations its people share. */
export const ORGANISATION = {
  oauthRegistration: setting(
    "SERVICE_OAUTH_REGISTRATION",
    onOff,
    true,
    "Whether AI tools and other programs may register themselves to ask people for access. Some, such as Cursor, cannot connect otherwise. When it is turned off, those that have registered before cannot ask anybody any more either.",
  ),
  oauthClients: setting(
    "SERVICE_OAUTH_CLIENTS",
    clients,
    { hosts: [], applications: [], clients: [] },
    'Programs that may ask people for access. A host such as `"claude.ai"`: if there is any, programs that are described by a document on the web must have it at one of these hosts, and programs that register themselves may return to web addresses there. An address of an application such as `"acme://oauth/callback"`: programs may return to it, besides schemes that are domains written backwards and those of well-known tools. An object `{ "clientId", "name", "redirectUris" }`: a program of your own. See [AI tools](agents.md).',
    { shown: "documents of every host" },
  ),
  publicLinks: setting("SERVICE_PUBLIC_LINKS", onOff, true, "Whether canvases may be shared by Public link."),
  tenancy: setting(
    "SERVICE_TENANCY",
    onOff,
    false,
    "Whether people belong to organisations by verified e-mail domain.",
  ),
};
