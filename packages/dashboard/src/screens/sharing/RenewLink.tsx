import { useState } from "react";
import { api, bodyOf } from "../../api/client.ts";
import { canvasChanged } from "../../api/queries.ts";
import type { Invitation } from "../../api/types.ts";
import { Button } from "../../kit/Button.tsx";
import { ConfirmDialog, Dialog } from "../../kit/Dialog.tsx";
import { type GuestLink, LinkMade } from "./LinkMade.tsx";

/** A button that makes another link for a guest, after a question, and shows it. */
export function RenewLink({ canvas, guest }: { canvas: string; guest: Invitation }) {
  const [isOpen, setOpen] = useState(false);
  const [link, setLink] = useState<GuestLink | null>(null);
  const renew = async () => {
    const path = { id: canvas, invite: guest.id };
    setLink(
      await bodyOf(api.POST("/api/canvases/{id}/invites/{invite}/link", { params: { path }, body: {} })),
    );
    void canvasChanged(canvas);
  };
  return (
    <>
      <Button look="quiet" aria-label={`New link for ${guest.name}`} onPress={() => setOpen(true)}>
        New link…
      </Button>
      <ConfirmDialog
        title="Make another link?"
        act="Make the link"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={renew}
      >
        <p>
          The former link of <bdi>{guest.name}</bdi> (<bdi>{guest.email}</bdi>) stops working. Where they are
          signed in, they stay, and what they have entered stays theirs.
        </p>
      </ConfirmDialog>
      {/* The link is lost with the dialog, so a click beside it does not close it. */}
      <Dialog
        title="The link of the guest"
        role="alertdialog"
        isOpen={link !== null}
        onClose={() => setLink(null)}
      >
        {link === null ? null : <LinkMade link={link} onClose={() => setLink(null)} />}
      </Dialog>
    </>
  );
}
