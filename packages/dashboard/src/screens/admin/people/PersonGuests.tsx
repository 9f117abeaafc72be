import "../../account/account.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { adminChanged, endGuestsOf, personGuestsQuery } from "../../../api/admin.ts";
import type { AdminPerson, InvitedGuest } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";

/** The guests whom a person has invited, and the end of their access. Shown for those who have invited somebody. */
export function PersonGuests({ person: { id, name } }: { person: AdminPerson }) {
  const { data: guests = [], error } = useQuery(personGuestsQuery(id));
  const [ending, setEnding] = useState<InvitedGuest | "all" | null>(null);
  const one = ending === null || ending === "all" ? null : ending;
  if (error !== null) return <ErrorNote error={error} />;
  if (guests.length === 0) return null;
  return (
    <section className="card stack" aria-labelledby="person-guests">
      <h2 id="person-guests">Guests whom they have invited</h2>
      <p className="soft small">Guests stay when the person leaves, until their invitation is ended.</p>
      <ul className="sessions" aria-label="Guests">
        {guests.map((guest) => (
          <li key={guest.id}>
            <span>
              <strong>
                <bdi>{guest.email}</bdi>
              </strong>{" "}
              <span className="soft small">
                on{" "}
                <Link to="/admin/canvases/$canvasId" params={{ canvasId: guest.canvas.id }}>
                  <bdi>{guest.canvas.title}</bdi>
                </Link>
              </span>
            </span>
            <Button onPress={() => setEnding(guest)} aria-label={`End the invitation of ${guest.email}`}>
              End
            </Button>
          </li>
        ))}
      </ul>
      {guests.length < 2 ? null : (
        <div>
          <Button onPress={() => setEnding("all")}>End all {guests.length}…</Button>
        </div>
      )}
      <ConfirmDialog
        title={one === null ? "End all their invitations?" : "End this invitation?"}
        act={one === null ? "End all" : "End"}
        isDanger
        isOpen={ending !== null}
        onClose={() => setEnding(null)}
        onConfirm={async () => {
          const { ended } = await endGuestsOf(id, one?.id);
          toast({ text: `Ended ${countOf(ended, "invitation")} of ${name}.` });
          await adminChanged();
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
          access at once, and the link does not let them in any more. What they have entered stays. This
          cannot be undone; an owner can invite them again.
        </p>
      </ConfirmDialog>
    </section>
  );
}
