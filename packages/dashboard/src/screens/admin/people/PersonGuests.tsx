import "../../account/account.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { adminChanged, endGuestsOf, personGuestsQuery } from "../../../api/admin.ts";
import type { AdminPerson, InvitedGuest } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { keepFocus } from "../../../kit/focus.ts";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";

/** The guests whom a person has invited, and the end of their access, as a card. Nothing, if there are none. */
export function PersonGuests({ person }: { person: AdminPerson }) {
  const { data, error } = useQuery(personGuestsQuery(person.id));
  if (error === null && (data === undefined || data.guests.length === 0)) return null;
  return (
    <section className="card stack" aria-labelledby="person-guests">
      <h2 id="person-guests">Guests they invited</h2>
      <GuestActs person={person} />
    </section>
  );
}

/** The guests whom a person has invited, with a button that ends the access of each, and one for all. */
export function GuestActs({ person: { id, name } }: { person: Pick<AdminPerson, "id" | "name"> }) {
  const { data, error } = useQuery(personGuestsQuery(id));
  const [ending, setEnding] = useState<InvitedGuest | "all" | null>(null);
  const one = ending === null || ending === "all" ? null : ending;
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined || data.guests.length === 0) return null;
  const { guests, nextCursor } = data;
  return (
    <>
      <p className="soft small">
        Each guest opens one canvas by a link. They keep this access when the person leaves, until you or the
        owner of the canvas ends it.
      </p>
      <ul className="sessions" aria-label="Guests">
        {guests.map((guest) => (
          <li key={guest.id}>
            <GuestNames guest={guest} />
            <Button onPress={() => setEnding(guest)} aria-label={`End the access of ${guest.email}`}>
              End…
            </Button>
          </li>
        ))}
      </ul>
      {nextCursor === null ? null : (
        <p className="soft small">The newest {guests.length.toLocaleString("en")} are listed.</p>
      )}
      {guests.length < 2 ? null : (
        <div>
          <Button onPress={() => setEnding("all")}>
            End {nextCursor === null ? `all ${guests.length}` : "all"}…
          </Button>
        </div>
      )}
      <ConfirmDialog
        title={one === null ? "End the access of all their guests?" : "End the access of this guest?"}
        act={one === null ? "End all" : "End"}
        isDanger
        isOpen={ending !== null}
        onClose={() => setEnding(null)}
        onConfirm={async () => {
          const { ended } = await endGuestsOf(id, one?.id);
          toast({ text: `Ended the access of ${countOf(ended, "guest")}.` });
          await adminChanged();
          keepFocus();
        }}
      >
        <p>
          {one === null ? (
            <>
              The guests of <bdi>{name}</bdi> lose
            </>
          ) : (
            <>
              <bdi>{one.email}</bdi> loses
            </>
          )}{" "}
          access at once, and {one === null ? "their links do" : "the link does"} not work any more. What they
          have entered stays. This cannot be undone, but the owner of a canvas can invite them again.
        </p>
      </ConfirmDialog>
    </>
  );
}

/** The address of a guest, and the canvas. */
export const GuestNames = ({ guest: { email, canvas } }: { guest: InvitedGuest }) => (
  <span>
    <strong>
      <bdi>{email}</bdi>
    </strong>{" "}
    <span className="soft small">
      on{" "}
      <Link to="/admin/canvases/$canvasId" params={{ canvasId: canvas.id }}>
        <bdi>{canvas.title}</bdi>
      </Link>
    </span>
  </span>
);
