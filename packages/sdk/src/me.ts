import type { Identity } from "@easel/protocol/types";
import type { EaselError } from "./errors.ts";
import type { Api } from "./request.ts";

/** Creates `easel.me` (specification 4.2). Records who the viewer is, with an empty id for a visitor of a Public link. */
export function createMe(api: Api): () => Promise<Identity> {
  return async () => {
    try {
      const me = await api.json<Identity>("GET", "/me");
      api.viewer = me.id;
      return me;
    } catch (error) {
      if ((error as EaselError).code === "STATIC_ONLY") api.viewer = "";
      throw error;
    }
  };
}
