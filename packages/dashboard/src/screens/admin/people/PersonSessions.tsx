import { useMutation, useQuery } from "@tanstack/react-query";
import { adminChanged, endSessionsOf, personSessionsQuery } from "../../../api/admin.ts";
import type { AdminPerson, Session } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { focusContent } from "../../../kit/focus.ts";
import { Loading } from "../../../kit/Loading.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";
import { SessionLine } from "../../account/SessionLine.tsx";

/** Where a person is signed in, and the end of one session or of all. */
export function PersonSessions({ person: { id, name } }: { person: AdminPerson }) {
  const { data: sessions, error } = useQuery(personSessionsQuery(id));
  const end = useMutation({
    async mutationFn(which: Session | "all") {
      const { ended } = await endSessionsOf(id, which === "all" ? undefined : which.id);
      focusContent();
      toast({ text: `Ended ${countOf(ended, "session")} of ${name}.` });
    },
    onSettled: () => adminChanged(),
  });
  return (
    <section className="card stack" aria-labelledby="person-sessions">
      <h2 id="person-sessions">Where they are signed in</h2>
      {error === null ? null : <ErrorNote error={error} />}
      {sessions === undefined && error === null ? <Loading what="their sessions" rows={1} /> : null}
      {sessions?.length === 0 ? <p className="soft">They are signed in nowhere.</p> : null}
      {sessions === undefined || sessions.length === 0 ? null : (
        <ul className="sessions">
          {sessions.map((session) => (
            <SessionLine
              key={session.id}
              session={session}
              isPending={end.isPending}
              onEnd={() => end.mutate(session)}
            />
          ))}
        </ul>
      )}
      {end.error === null ? null : <ErrorNote error={end.error} />}
      {sessions === undefined || sessions.length < 2 ? null : (
        <div>
          <Button isPending={end.isPending} onPress={() => end.mutate("all")}>
            Sign out all {sessions.length}
          </Button>
        </div>
      )}
    </section>
  );
}
