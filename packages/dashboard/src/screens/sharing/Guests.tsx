import { useState } from "react";
import { api, bodyOf } from "../../api/client.ts";
import { canvasChanged } from "../../api/queries.ts";
import { addressesIn } from "../../kit/addresses.ts";
import { Button } from "../../kit/Button.tsx";
import { Dialog, DialogForm } from "../../kit/Dialog.tsx";
import { TextField } from "../../kit/Field.tsx";
import { Time } from "../../kit/Time.tsx";
import { type GuestLink, LinkMade } from "./LinkMade.tsx";
import type { Sharing } from "./useSharing.ts";

/** The number of revoked invitations that are listed. */
const REVOKED_SHOWN = 50;

/** Invitations by link, for people who cannot sign in here. The owner alone invites. */
export function Guests({ sharing }: { sharing: Sharing }) {
  const { canvas, invites, guests } = sharing;
  const [isOpen, setOpen] = useState(false);
  const [link, setLink] = useState<GuestLink | null>(null);
  const close = () => {
    setOpen(false);
    setLink(null);
  };
  const isOwner = canvas.viewerRole === "owner";
  const revoked = (invites.data ?? []).filter(({ revokedAt }) => revokedAt !== null);
  if (!isOwner && guests.length + revoked.length === 0) return null;
  return (
    <section className="card stack" aria-labelledby="guests">
      <h2 id="guests">Guests</h2>
      <p className="soft">
        A guest opens this one canvas by a link of their own, as a viewer, without signing in and without the
        password. {isOwner ? "" : "Only the owner invites guests and revokes invitations."}
      </p>
      {isOwner ? (
        <div>
          <Button onPress={() => setOpen(true)}>Invite a guest</Button>
          {/* The link is lost with the dialog, so a click beside it does not close it then. */}
          <Dialog
            title="Invite a guest"
            role={link === null ? "dialog" : "alertdialog"}
            isOpen={isOpen}
            onClose={close}
          >
            <Invite canvas={canvas.id} made={link} onMade={setLink} onClose={close} />
          </Dialog>
        </div>
      ) : null}
      {revoked.length === 0 ? null : (
        <details>
          <summary>Revoked invitations ({revoked.length.toLocaleString("en")})</summary>
          <ul className="revoked">
            {revoked.slice(0, REVOKED_SHOWN).map(({ id, name, email, revokedAt }) => (
              <li key={id}>
                <bdi>{name}</bdi>{" "}
                <span className="soft">
                  <bdi>{email}</bdi>, revoked <Time at={Number(revokedAt)} />
                </span>
              </li>
            ))}
          </ul>
          {revoked.length > REVOKED_SHOWN ? (
            <p className="soft small">The newest {REVOKED_SHOWN} are shown.</p>
          ) : null}
        </details>
      )}
    </section>
  );
}

/** The form that invites, then the link. */
function Invite({
  canvas,
  made,
  onMade,
  onClose,
}: {
  canvas: string;
  made: GuestLink | null;
  onMade: (link: GuestLink) => void;
  onClose: () => void;
}) {
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isPending, setPending] = useState(false);

  const invite = async () => {
    const { emails, faults } = addressesIn(email);
    const [address] = emails;
    if (address === undefined || emails.length > 1 || faults.length > 0) {
      setFault(faults[0] === undefined ? "Enter one e-mail address." : `This ${faults[0].why}.`);
      return;
    }
    setFault(null);
    setError(null);
    setPending(true);
    try {
      const body = { email: address, ...(name.trim() !== "" && { name: name.trim() }) };
      onMade(
        await bodyOf(api.POST("/api/canvases/{id}/invites", { params: { path: { id: canvas } }, body })),
      );
      void canvasChanged(canvas);
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setPending(false);
    }
  };

  if (made !== null) return <LinkMade link={made} onClose={onClose} />;
  return (
    <DialogForm
      act="Make the link"
      isPending={isPending}
      error={error}
      onSubmit={() => void invite()}
      onClose={onClose}
    >
      <TextField
        label="E-mail address"
        type="email"
        value={email}
        onChange={setEmail}
        error={fault}
        autoFocus
      />
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        description="As others see them on the page. Without one, it comes from the address."
      />
    </DialogForm>
  );
}
