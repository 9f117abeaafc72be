import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { queries, sessionsQuery } from "../../api/queries.ts";
import type { Session } from "../../api/types.ts";
import { SessionList } from "./SessionList.tsx";

async function end(which: Session | "all"): Promise<string> {
  if (which === "all") await api.DELETE("/api/sessions");
  else await api.DELETE("/api/sessions/{id}", { params: { path: { id: which.id } } });
  return which === "all" ? "Signed out everywhere else." : "Signed out there.";
}

/** Where the caller is signed in, and the way out of the other places. */
export const Sessions = () => (
  <SessionList
    title="Where you are signed in"
    empty="No session is known."
    query={useQuery(sessionsQuery)}
    allLabel={(others) =>
      others === 0 ? null : others === 1 ? "Sign out the other one" : `Sign out the ${others} others`
    }
    onEnd={end}
    onEnded={() => queries.invalidateQueries(sessionsQuery)}
  />
);
