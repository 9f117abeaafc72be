import { useQuery } from "@tanstack/react-query";
import { adminChanged, endSessionsOf, personSessionsQuery } from "../../../api/admin.ts";
import type { AdminPerson } from "../../../api/types.ts";
import { countOf } from "../../../kit/words.ts";
import { SessionList } from "../../account/SessionList.tsx";

/** Where a person is signed in, and the end of one session or of all. */
export const PersonSessions = ({ person: { id, name } }: { person: AdminPerson }) => (
  <SessionList
    title="Where they are signed in"
    empty="They are signed in nowhere."
    query={useQuery(personSessionsQuery(id))}
    allLabel={(others) => (others < 2 ? null : `Sign out all ${others}`)}
    onEnd={async (which) => {
      const { ended } = await endSessionsOf(id, which === "all" ? undefined : which.id);
      return `Ended ${countOf(ended, "session")} of ${name}.`;
    }}
    onEnded={() => adminChanged()}
  />
);
