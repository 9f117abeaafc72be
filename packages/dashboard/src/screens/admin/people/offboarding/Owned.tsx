import { useState } from "react";
import type { ApiError } from "../../../../api/api-error.ts";
import type { AdminPerson, Handover } from "../../../../api/types.ts";
import { Button } from "../../../../kit/Button.tsx";
import { ErrorNote } from "../../../../kit/ErrorNote.tsx";
import { FocusedHeading } from "../../../../kit/FocusedHeading.tsx";
import { countOf } from "../../../../kit/words.ts";
import { deactivate } from "../Activity.tsx";
import { credentialWords } from "../SignOut.tsx";

/** The first step: what the person owns. If that is nothing, only their access is left to end. */
export function Owned({
  person,
  owned,
  isSelf,
  takesFocus,
  onNext,
}: {
  person: AdminPerson;
  owned: Handover;
  isSelf: boolean;
  takesFocus: boolean;
  onNext: () => void;
}) {
  const { canvases, teams, nextCursor } = owned;
  const count = `${countOf(canvases.length, "canvas", "canvases")}${nextCursor === null ? "" : " and more"}`;
  if (canvases.length === 0 && teams.length === 0) return <Nothing person={person} isSelf={isSelf} />;
  return (
    <>
      <FocusedHeading id="step" takesFocus={takesFocus}>
        <bdi>{person.name}</bdi> owns {count} and {countOf(teams.length, "team")}
      </FocusedHeading>
      {canvases.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <ul className="owned" tabIndex={0} aria-label="Canvases">
          {canvases.map(({ id, title, slug, editors }) => (
            <li key={id}>
              <span>
                <strong>
                  <bdi>{title}</bdi>
                </strong>{" "}
                <bdi className="soft small">{slug}</bdi>
              </span>
              <span className="soft small">
                {editors.length === 0 ? "Nobody else edits it" : countOf(editors.length, "editor")}
              </span>
            </li>
          ))}
        </ul>
      )}
      {nextCursor === null ? null : (
        <p className="note wait">
          These are the first {countOf(canvases.length, "canvas", "canvases")}. Hand them over, and the next
          ones follow.
        </p>
      )}
      {teams.length === 0 ? null : (
        <ul className="owned" aria-label="Teams">
          {teams.map(({ id, name, members }) => (
            <li key={id}>
              <strong>
                <bdi>{name}</bdi>
              </strong>
              <span className="soft small">Team of {countOf(members, "person", "people")}</span>
            </li>
          ))}
        </ul>
      )}
      <p className="soft small">
        You see titles and addresses, and no content. Canvases in the trash stay with them: restore one first
        to hand it over.
      </p>
      <div>
        <Button look="primary" onPress={onNext}>
          Next: who takes it
        </Button>
      </div>
    </>
  );
}

function Nothing({ person, isSelf }: { person: AdminPerson; isSelf: boolean }) {
  const [error, setError] = useState<Error | null>(null);
  const [isPending, setPending] = useState(false);
  const isGone = person.deactivatedAt !== null;
  const end = async () => {
    setPending(true);
    setError(null);
    try {
      await deactivate(person);
    } catch (failure) {
      setError(failure as ApiError);
    } finally {
      setPending(false);
    }
  };
  return (
    <>
      <FocusedHeading id="step" takesFocus={isGone}>
        <bdi>{person.name}</bdi> owns nothing{isGone ? ", and is deactivated" : ""}
      </FocusedHeading>
      {isGone ? (
        <p>There is nothing left to do.</p>
      ) : isSelf ? (
        <p>You cannot deactivate your own account; another administrator can.</p>
      ) : (
        <>
          <p>
            Nothing has to be handed over. Deactivating can be undone, but {credentialWords(person)} end for
            good.
          </p>
          <div>
            <Button look="danger" isPending={isPending} onPress={end}>
              Deactivate
            </Button>
          </div>
        </>
      )}
      {error === null ? null : <ErrorNote error={error} />}
    </>
  );
}
