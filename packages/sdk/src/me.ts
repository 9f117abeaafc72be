import type { Identity } from "@easel/protocol/types";
import type { Api } from "./request.ts";

/** Creates `easel.me` (specification 4.2). */
export function createMe(api: Api): () => Promise<Identity> {
  return () => api.json("GET", "/me");
}
