import { Check, CircleSlash } from "lucide-react";
import type { AdminPerson, Handover } from "../../../../api/types.ts";
import { Button, ButtonLink } from "../../../../kit/Button.tsx";
import { FocusedHeading } from "../../../../kit/FocusedHeading.tsx";
import { countOf, isolated } from "../../../../kit/words.ts";
import type { Run } from "./run.ts";
import { leftWords, ownedWords } from "./words.ts";

/** What became of the guests whom the person has invited. */
function guestWords({ guests }: Run, { guests: left }: Handover): string {
  if (left > 0) return ` ${countOf(left, "guest")} whom they invited ${left === 1 ? "has" : "have"} access.`;
  return typeof guests === "number" && guests > 0
    ? ` ${countOf(guests, "guest")} whom they invited ${guests === 1 ? "has" : "have"} no access any more.`
    : "";
}

/** The fourth step: what became of each canvas. `owned` is what the person owns since. */
export function Result({
  person,
  result,
  owned,
  isPending,
  onAgain,
  onChange,
}: {
  person: AdminPerson;
  result: Run;
  owned: Handover;
  isPending: boolean;
  onAgain: () => void;
  onChange: () => void;
}) {
  const stillOwned = new Set([...owned.canvases, ...owned.teams].map(({ id }) => id));
  const rows = result.outcomes.flatMap(({ share, left, error }) => [
    ...share.canvases.map(({ id, title }) => {
      const why = left.find((each) => each.id === id);
      const reason =
        why !== undefined
          ? leftWords(why, share.to)
          : stillOwned.has(id)
            ? (error?.message ?? "It was not moved.")
            : null;
      return { id, title, to: share.to, code: why?.code ?? null, reason };
    }),
    // Teams have no row of their own unless they stay.
    ...owned.teams
      .filter(() => share.teams)
      .map(({ id, name }) => {
        const why = left.find((each) => each.id === id);
        const reason = why === undefined ? (error?.message ?? "It was not moved.") : leftWords(why, share.to);
        return { id, title: name, to: share.to, code: why?.code ?? null, reason };
      }),
  ]);
  const failed = rows.filter(({ reason }) => reason !== null);
  const errors = [
    ...new Set(result.outcomes.flatMap(({ error }) => (error === null ? [] : [error.message]))),
    ...(result.guests instanceof Error
      ? [`The access of their guests could not be ended. ${result.guests.message}`]
      : []),
  ];
  const isDone = owned.canvases.length === 0 && owned.teams.length === 0;
  // Teams that were not to be moved may stay.
  const isOver = owned.canvases.length === 0 && failed.length === 0 && !(result.guests instanceof Error);
  return (
    <>
      <FocusedHeading id="step">
        {failed.length === 0 ? (
          "Everything was handed over"
        ) : (
          <>
            {rows.length - failed.length} of {rows.length} handed over
          </>
        )}
      </FocusedHeading>
      <p className={`note ${isOver ? "good" : "wait"}`}>
        <span>
          <bdi>{person.name}</bdi> {isDone ? "owns nothing any more" : `still owns ${ownedWords(owned)}`}
          {person.deactivatedAt !== null
            ? ", and is deactivated: their sessions, access tokens and connected tools have ended."
            : isDone
              ? ". They can go on signing in."
              : ", and is not deactivated."}
          {guestWords(result, owned)}
        </span>
      </p>
      {errors.map((message) => (
        <p key={message} className="note bad" role="alert">
          {message}
        </p>
      ))}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <ul className="owned outcomes" tabIndex={0} aria-label="What became of each">
        {rows.map(({ id, title, to, code, reason }) => (
          <li key={id} className={reason === null ? "" : "left"}>
            <span className="row">
              {reason === null ? <Check aria-hidden /> : <CircleSlash aria-hidden />}
              <strong>
                <bdi>{title}</bdi>
              </strong>
            </span>
            <span className="small">
              {reason === null ? `Belongs to ${isolated(to)}` : reason}{" "}
              {code === null ? null : <code>{code}</code>}
            </span>
          </li>
        ))}
      </ul>
      <div className="row">
        {isOver ? (
          <ButtonLink to="/admin/people" look="primary">
            Done
          </ButtonLink>
        ) : (
          <>
            <Button look="primary" isPending={isPending} onPress={onAgain}>
              Try the rest again
            </Button>
            <Button onPress={onChange}>Choose others</Button>
          </>
        )}
      </div>
    </>
  );
}
