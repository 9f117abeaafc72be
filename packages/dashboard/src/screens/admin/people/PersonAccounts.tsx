import "../../account/account.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminChanged, personAccountsQuery, unlinkPerson } from "../../../api/admin.ts";
import type { AdminPerson } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { Time } from "../../../kit/Time.tsx";
import { toast } from "../../../kit/toasts.ts";

/** The accounts at sign-in services by which a person is recognised, as a card. Nothing, if there are none. */
export function PersonAccounts({ person: { id, name, email } }: { person: AdminPerson }) {
  const { data: accounts, error } = useQuery(personAccountsQuery(id));
  const [isOpen, setOpen] = useState(false);
  if (error === null && (accounts === undefined || accounts.length === 0)) return null;
  const unlink = async () => {
    await unlinkPerson(id);
    await adminChanged();
    toast({ text: `Unlinked ${name}. The next sign-in with their address links them again.` });
  };
  return (
    <section className="card stack" aria-labelledby="person-accounts">
      <h2 id="person-accounts">Accounts at sign-in services</h2>
      {error === null ? null : <ErrorNote error={error} />}
      <p className="soft small">
        Sign-in recognises them by the account, so they stay the same person when their address changes.
      </p>
      <ul className="sessions">
        {accounts?.map(({ issuer, subject, createdAt }) => (
          <li key={`${issuer} ${subject}`}>
            <span>
              <strong className="account-subject">
                <bdi>{subject}</bdi>
              </strong>
              <small className="soft">
                At <bdi>{issuer}</bdi>, linked <Time at={createdAt} />
              </small>
            </span>
          </li>
        ))}
      </ul>
      <div>
        <Button onPress={() => setOpen(true)}>Unlink…</Button>
      </div>
      <ConfirmDialog
        title={`Unlink ${name}?`}
        act="Unlink"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={unlink}
      >
        <p>
          Their sessions end. The next account that signs in with <bdi>{email}</bdi> becomes this person and
          gets everything that is theirs.
        </p>
        <p>
          Do this if <bdi>{name}</bdi> has a new account with the same address. Do not do it if somebody else
          has the address now.
        </p>
      </ConfirmDialog>
    </section>
  );
}
