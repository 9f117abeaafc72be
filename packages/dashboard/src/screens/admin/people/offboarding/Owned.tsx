import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { personGuestsQuery } from "../../../../api/admin.ts";
import type { ApiError } from "../../../../api/api-error.ts";
import type { AdminPerson, Handover } from "../../../../api/types.ts";
import { Button } from "../../../../kit/Button.tsx";
import { ErrorNote } from "../../../../kit/ErrorNote.tsx";
import { FocusedHeading } from "../../../../kit/FocusedHeading.tsx";
import { countOf } from "../../../../kit/words.ts";
import { deactivate } from "../Activity.tsx";
import { credentialWords } from "../credentials.ts";
import { GuestActs, GuestNames } from "../PersonGuests.tsx";
import { ownedWords } from "./words.ts";

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
  if (canvases.length === 0 && teams.length === 0)
    return <Nothing person={person} guests={owned.guests} isSelf={isSelf} />;
  return (
    <>
      <FocusedHeading id="step" takesFocus={takesFocus}>
        <bdi>{person.name}</bdi> owns {ownedWords(owned)}
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
      <Guests person={person} count={owned.guests} />
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

/** The guests whom the person has invited, in a list to read: the next step asks whether they keep access. */
function Guests({ person, count }: { person: AdminPerson; count: number }) {
  const { data } = useQuery({ ...personGuestsQuery(person.id), enabled: count > 0 });
  if (count === 0) return null;
  return (
    <>
      <h3 id="guests">They invited {countOf(count, "guest")}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <ul className="owned" tabIndex={0} aria-labelledby="guests">
        {data?.guests.map((guest) => (
          <li key={guest.id}>
            <GuestNames guest={guest} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Nothing({ person, guests, isSelf }: { person: AdminPerson; guests: number; isSelf: boolean }) {
  const [error, setError] = useState<Error | null>(null);
  const [isPending, setPending] = useState(false);
  const isGone = person.deactivatedAt !== null;
  const credentials = credentialWords(person);
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
        guests === 0 ? (
          <p>There is nothing left to do.</p>
        ) : null
      ) : isSelf ? (
        <p>You cannot deactivate your own account; another administrator can.</p>
      ) : (
        <>
          <p>
            Nothing has to be handed over. Deactivating can be undone
            {credentials === "" ? "." : `, but it ends ${credentials} for good.`}
          </p>
          <div>
            <Button look="danger" isPending={isPending} onPress={end}>
              Deactivate
            </Button>
          </div>
        </>
      )}
      {error === null ? null : <ErrorNote error={error} />}
      {guests === 0 ? null : (
        <>
          <h3>They invited {countOf(guests, "guest")}</h3>
          <GuestActs person={person} />
        </>
      )}
    </>
  );
}
