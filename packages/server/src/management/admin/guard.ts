import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { isAdmin } from "../../identity/identify.ts";
import type { Act, Call, Handler, Routes } from "../route.ts";

/** The call, if an administrator makes it. */
function byAdmin(call: Call, env: Env): Call {
  if (isAdmin(call.user, env)) return call;
  return refuse("PERMISSION_DENIED", { message: "Only administrators of this instance may do this." });
}

const guardHandler =
  (handler: Handler): Handler =>
  async (call, env) =>
    handler(byAdmin(call, env), env);

const guardAct = ({ act, perform }: Act): Act => ({
  act,
  perform: async (call, reauthenticate, env) =>
    perform(byAdmin(call, env), async () => byAdmin(await reauthenticate(), env), env),
});

const guard = (handler: Handler | Act) =>
  typeof handler === "function" ? guardHandler(handler) : guardAct(handler);

/** The same routes for administrators only: 403 `PERMISSION_DENIED` for everyone else, before anything is read. */
export const forAdmins = (routes: Routes): Routes =>
  Object.fromEntries(
    Object.entries(routes).map(([path, handlers]) => [
      path,
      Object.fromEntries(Object.entries(handlers).map(([method, handler]) => [method, guard(handler)])),
    ]),
  );
