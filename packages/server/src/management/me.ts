import type { Account } from "@easel/protocol/types";
import { isAdmin } from "../identity/identify.ts";
import { readSettings } from "../organisation/instance-settings.ts";
import { orgsOf } from "../organisation/orgs.ts";
import { ok, type Routes } from "./route.ts";

/** `GET /api/me` (specification 4.11). */
export const me: Routes = {
  "/me": {
    async GET({ person }, env) {
      const { config, base } = env;
      const isGuest = person.guestOf !== null;
      const account: Account = {
        id: person.id,
        email: person.email,
        name: person.name,
        avatarUrl: person.avatarUrl,
        isAdmin: isAdmin(person, env),
        orgs: config.tenancy && !isGuest ? await orgsOf(person.email, env) : [],
        isGuest,
        canPublishPublic: person.canPublishPublic && (await readSettings(env)).publicLinks,
        authMode: config.authMode,
        urlMode: config.urlMode,
        baseUrl: base.origin,
        designSkin: null,
      };
      return ok(account);
    },
  },
};
