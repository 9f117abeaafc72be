import { ACCESS } from "./settings/access-settings.ts";
import { AI } from "./settings/ai-settings.ts";
import { CONNECTIONS } from "./settings/connection-settings.ts";
import { QUOTAS_AND_RATES } from "./settings/limit-settings.ts";
import { OBSERVATION } from "./settings/log-settings.ts";
import { MAIL } from "./settings/mail-settings.ts";
import { ORGANISATION } from "./settings/organisation-settings.ts";
import { PAGES } from "./settings/page-settings.ts";
import { SERVER } from "./settings/server-settings.ts";
import { SIGN_IN } from "./settings/sign-in-settings.ts";

/** Every setting of the service. `docs/settings.md` is generated from this table. */
export const SETTINGS = {
  ...SERVER,
  ...SIGN_IN,
  ...ACCESS,
  ...ORGANISATION,
  ...QUOTAS_AND_RATES,
  ...PAGES,
  ...AI,
  ...CONNECTIONS,
  ...MAIL,
  ...OBSERVATION,
};
