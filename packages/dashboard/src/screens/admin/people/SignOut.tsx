import { useState } from "react";
import { adminChanged, signOutPerson } from "../../../api/admin.ts";
import type { AdminPerson } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { toast } from "../../../kit/toasts.ts";
import { credentialWords } from "./credentials.ts";

/** Ends the sessions, access tokens and connected tools of a person, who may sign in again. */
export function SignOut({ person }: { person: AdminPerson }) {
  const { id, name } = person;
  const credentials = credentialWords(person);
  const isNowhere = credentials === "";
  const [isOpen, setOpen] = useState(false);
  return (
    <DangerAct
      title="Sign out everywhere"
      button={
        <Button onPress={() => setOpen(true)} isDisabled={isNowhere}>
          Sign out…
        </Button>
      }
    >
      <p>
        {isNowhere
          ? "They are signed in nowhere, and no program acts for them."
          : `Ends ${credentials}, for example if a device is lost. They may sign in again.`}
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
          This ends {credentials} of <bdi>{name}</bdi> for good. Programs such as the command line then need a
          new token.
        </p>
      </ConfirmDialog>
    </DangerAct>
  );
}
