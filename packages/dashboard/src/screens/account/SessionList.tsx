import "./account.css";
import { type UseQueryResult, useMutation } from "@tanstack/react-query";
import type { Session } from "../../api/types.ts";
import { Badge } from "../../kit/Badge.tsx";
import { Button } from "../../kit/Button.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { focusContent } from "../../kit/focus.ts";
import { Reading } from "../../kit/Loading.tsx";
import { Time } from "../../kit/Time.tsx";
import { toast } from "../../kit/toasts.ts";
import { deviceOf } from "./device.ts";

/** Sessions in a card, with a button that ends each, and one for all. The session of this page has none: signing out ends it. */
export function SessionList({
  title,
  empty,
  query,
  allLabel,
  onEnd,
  onEnded,
}: {
  title: string;
  /** What is said if there are no sessions. */
  empty: string;
  query: UseQueryResult<Session[]>;
  /** The label of the button that ends all others, if there are `count` of them. Null for no button. */
  allLabel: (count: number) => string | null;
  /** Ends one session or all others. Returns what is said then. */
  onEnd: (session: Session | "all") => Promise<string>;
  /** Reads the list again. */
  onEnded: () => Promise<unknown>;
}) {
  const end = useMutation({
    async mutationFn(which: Session | "all") {
      const said = await onEnd(which);
      focusContent();
      toast({ text: said });
    },
    onSettled: onEnded,
  });
  const sessions = query.data;
  const others = sessions?.filter(({ current }) => !current) ?? [];
  const all = allLabel(others.length);
  return (
    <section className="card stack" aria-labelledby="sessions">
      <h2 id="sessions">{title}</h2>
      <Reading query={query} what="the sessions" rows={2} />
      {sessions?.length === 0 ? <p className="soft">{empty}</p> : null}
      <ul className="sessions">
        {sessions?.map((session) => (
          <SessionLine
            key={session.id}
            session={session}
            isPending={end.isPending}
            onEnd={() => end.mutate(session)}
          />
        ))}
      </ul>
      {end.error === null ? null : <ErrorNote error={end.error} />}
      {all === null ? null : (
        <div>
          <Button isPending={end.isPending} onPress={() => end.mutate("all")}>
            {all}
          </Button>
        </div>
      )}
    </section>
  );
}

/** A session in a list: the device, where it was begun, and its end. */
function SessionLine({
  session: { current, userAgent, address, createdAt, expiresAt },
  isPending,
  onEnd,
}: {
  session: Session;
  isPending: boolean;
  onEnd: () => void;
}) {
  const device = deviceOf(userAgent);
  return (
    <li>
      <span>
        <strong>
          <bdi>{device}</bdi>
        </strong>
        <small className="soft">
          From <bdi>{address}</bdi>, signed in <Time at={createdAt} />, ends <Time at={expiresAt} />
        </small>
        {userAgent === device || userAgent === "" ? null : (
          <small className="soft user-agent">
            <bdi>{userAgent}</bdi>
          </small>
        )}
      </span>
      {current ? (
        <Badge look="good">This one</Badge>
      ) : (
        <Button isPending={isPending} onPress={onEnd} aria-label={`Sign out ${device}, ${address}`}>
          Sign out
        </Button>
      )}
    </li>
  );
}
