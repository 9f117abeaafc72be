import type { Account } from "@easel/protocol/types";
import { orgsOf } from "../canvases/publishing/home-org.ts";
import { isAdmin } from "../identity/identify.ts";
import { readSettings } from "../organisation/instance-settings.ts";
import { ok, type Routes } from "./route.ts";

/** `GET /api/me` (specification 4.11). */
export const me: Routes = {
  "/me": {
    async GET({ user }, env) {
      const { config, base } = env;
      const isGuest = user.guestOf !== null;
      const account: Account = {
        id: user.id,
        email: user.email,
        name: user.name,
        avatarUrl: user.avatarUrl,
        isAdmin: isAdmin(user, env),
        orgs: config.tenancy && !isGuest ? await orgsOf(user.email, env) : [],
        isGuest,
        canPublishPublic: user.canPublishPublic && (await readSettings(env)).publicLinks,
        authMode: config.authMode,
        urlMode: config.urlMode,
        baseUrl: base.origin,
        designSkin: null,
      };
      return ok(account);
    },
  },
};
