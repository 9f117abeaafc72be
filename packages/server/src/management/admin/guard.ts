import { isAdmin } from "../../auth/index.ts";
import { refuse } from "../../kit/refusal.ts";
import type { Act, Handler, Routes } from "../route.ts";

const guard =
  (handler: Handler): Handler =>
  (call, env) =>
    isAdmin(call.person, env)
      ? handler(call, env)
      : refuse("PERMISSION_DENIED", { message: "Only administrators of this instance may do this." });

const guardAny = (handler: Handler | Act) =>
  typeof handler === "function" ? guard(handler) : { ...handler, run: guard(handler.run) };

/** The same routes for administrators only: 403 `PERMISSION_DENIED` for everyone else, before anything is read. */
export const forAdmins = (routes: Routes): Routes =>
  Object.fromEntries(
    Object.entries(routes).map(([path, handlers]) => [
      path,
      Object.fromEntries(Object.entries(handlers).map(([method, handler]) => [method, guardAny(handler)])),
    ]),
  );
