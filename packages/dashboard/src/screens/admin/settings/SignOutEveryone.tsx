import { useState } from "react";
import { adminChanged, endAllSessions } from "../../../api/admin.ts";
import { Button } from "../../../kit/Button.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { Toggle } from "../../../kit/Toggle.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";

/** Signs everyone out, for an incident. */
export function SignOutEveryone() {
  const [isOpen, setOpen] = useState(false);
  const [tokens, setTokens] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>Sign everyone out…</Button>
      <ConfirmDialog
        title="Sign everyone out?"
        act="Sign everyone out"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          const { ended } = await endAllSessions(tokens);
          toast({ text: `Ended ${countOf(ended, "session")}${tokens ? ", all tokens and tools" : ""}.` });
          await adminChanged();
        }}
      >
        <p>
          Every session of every person and guest ends at once, except this one of yours. Everyone may sign in
          again. This is meant for an incident, such as a stolen cookie.
        </p>
        <Toggle
          isSelected={tokens}
          onChange={setTokens}
          description="Programs such as the command line and CI need new tokens, AI tools have to be connected again."
        >
          End access tokens and connected tools, too
        </Toggle>
      </ConfirmDialog>
    </>
  );
}
