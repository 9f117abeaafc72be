import { useMutation, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { queries, sessionsQuery } from "../../api/queries.ts";
import type { Session } from "../../api/types.ts";
import { Button } from "../../kit/Button.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { focusContent } from "../../kit/focus.ts";
import { Loading } from "../../kit/Loading.tsx";
import { toast } from "../../kit/toasts.ts";
import { SessionLine } from "./SessionLine.tsx";

/** Where the caller is signed in, and the way out of the other places. */
export function Sessions() {
  const { data: sessions, error } = useQuery(sessionsQuery);
  const end = useMutation({
    async mutationFn(which: Session | "others") {
      if (which === "others") await api.DELETE("/api/sessions");
      else await api.DELETE("/api/sessions/{id}", { params: { path: { id: which.id } } });
      focusContent();
      toast({ text: which === "others" ? "Signed out everywhere else." : "Signed out there." });
    },
    onSettled: () => queries.invalidateQueries(sessionsQuery),
  });
  const others = sessions?.filter(({ current }) => !current) ?? [];
  return (
    <section className="card stack" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      {error === null ? null : <ErrorNote error={error} />}
      {sessions === undefined ? (
        error === null && <Loading what="your sessions" rows={2} />
      ) : (
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
      {others.length === 0 ? null : (
        <div>
          <Button isPending={end.isPending} onPress={() => end.mutate("others")}>
            {others.length === 1 ? "Sign out the other one" : `Sign out the ${others.length} others`}
          </Button>
        </div>
      )}
    </section>
  );
}
