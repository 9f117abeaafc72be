import type { AuthoredCanvas } from "@easel/protocol/types";
import type { ManagedRow } from "../../canvases/store.ts";
import { authoredViews } from "../../canvases/view.ts";
import type { Env } from "../../env.ts";
import type { Call } from "../primitive.ts";
import { managedBy } from "./author.ts";

/** Converts a database row to the canvas that the API returns. */
export async function shareOf(row: ManagedRow, env: Env): Promise<AuthoredCanvas> {
  const [share] = await authoredViews([row], env);
  return share as AuthoredCanvas;
}

/** Reads a canvas that the caller manages, as the API returns it. Throws 404 `NOT_FOUND` for any other canvas. */
export const currentShare = async (call: Call, id: string, env: Env): Promise<AuthoredCanvas> =>
  shareOf(await managedBy(call, id, env), env);
