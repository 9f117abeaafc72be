import { useState } from "react";
import { adminChanged, signOutPerson } from "../../../api/admin.ts";
import type { AdminPerson } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf, listOf } from "../../../kit/words.ts";

/** What ends for good when somebody is signed out. */
export const credentialWords = ({
  sessions,
  tokens,
  apps,
}: Pick<AdminPerson, "sessions" | "tokens" | "apps">): string =>
  listOf([
    countOf(sessions, "session"),
    countOf(tokens, "access token"),
    ...(apps === 0 ? [] : [countOf(apps, "connected tool")]),
  ]);

/** Ends the sessions, access tokens and connected tools of a person, who may sign in again. */
export function SignOut({ person }: { person: AdminPerson }) {
  const { id, name, sessions, tokens, apps } = person;
  const isNowhere = sessions + tokens + apps === 0;
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
