import { useState } from "react";
import { adminChanged, signOutPerson } from "../../../api/admin.ts";
import type { AdminPerson } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";

/** What ends for good when somebody is signed out. */
export const credentialWords = ({ sessions, tokens }: Pick<AdminPerson, "sessions" | "tokens">): string =>
  `${countOf(sessions, "session")} and ${countOf(tokens, "access token")}`;

/** Ends the sessions and tokens of a person, who may sign in again. */
export function SignOut({ person }: { person: AdminPerson }) {
  const { id, name, sessions, tokens } = person;
  const [isOpen, setOpen] = useState(false);
  return (
    <DangerAct
      title="Sign out everywhere"
      button={
        <Button onPress={() => setOpen(true)} isDisabled={sessions + tokens === 0}>
          Sign out…
        </Button>
      }
    >
      <p>
        {sessions + tokens === 0
          ? "They are signed in nowhere, and no program acts for them."
          : `Ends ${credentialWords(person)}, for example if a device is lost. They may sign in again.`}
      </p>
      <ConfirmDialog
        title="Sign out everywhere?"
        act="Sign out"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          await signOutPerson(id);
          toast({ text: `Signed ${name} out everywhere.` });
          await adminChanged();
        }}
      >
        <p>
          {credentialWords(person)} of <bdi>{name}</bdi> end for good. Programs such as the command line need
          a new token. This cannot be undone.
        </p>
      </ConfirmDialog>
    </DangerAct>
  );
}
