import { orgsOf } from "../canvases/publishing/home-org.ts";
import { isAdmin } from "../identity/identify.ts";
import { readSettings } from "../organisation/instance-settings.ts";
import { act } from "./act.ts";
import { ok } from "./response-spec.ts";
import { account } from "./responses/account.ts";

/** The endpoint for the caller's own account (specification 4.11). */
export const me = [
  act({
    name: "me.read",
    method: "GET",
    path: "/api/me",
    summary: "Returns the caller's account and how this instance is set up.",
    allow: "everyone",
    ofAnyCanvas: true,
    response: ok(account),
    async run({ user }, env) {
      const { config, base } = env;
      const isGuest = user.guestOf !== null;
      return {
        body: {
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
        },
      };
    },
  }),
];
