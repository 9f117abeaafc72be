import { useEffect, useRef } from "react";
import { meQuery, queries } from "../api/queries.ts";
import { onSignedIn, useSignedOut } from "../api/session.ts";
import type { Me } from "../api/types.ts";
import { Button } from "../kit/Button.tsx";

/** The address that signs a person in. A proxy signs them in when they open any page. */
const signInAddress = (mode: Me["authMode"]): string =>
  mode === "proxy" ? "/auth/done" : "/auth/login?returnTo=/auth/done";

/**
 * Reads again who the caller is. Another person than before starts with a new page, so that nothing of the one before is sent in their name.
 */
async function checkAgain(before: string): Promise<void> {
  const me = await queries.fetchQuery({ ...meQuery, staleTime: 0, retry: false }).catch(() => null);
  if (me === null) return;
  if (me.id !== before) location.reload();
  else await queries.invalidateQueries();
}

/**
 * The bar at the end of a session. The page stays as it is, with all that was typed, and the person signs in again in a small window. Its
 * last page says when it is done.
 */
export function SignedOutBar({ me: { id, authMode } }: { me: Me }) {
  const isSignedOut = useSignedOut();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => onSignedIn(() => void checkAgain(id)), [id]);
  useEffect(() => {
    if (!isSignedOut) return;
    // The keyboard cannot leave a dialog, so the focus moves to the button and, after the sign-in, back.
    const { activeElement: before } = document;
    if (!(before instanceof HTMLElement) || before.closest("[role$=dialog]") === null) return;
    button.current?.focus();
    return () => before.focus();
  }, [isSignedOut]);
  const signIn = () => window.open(signInAddress(authMode), "easel-sign-in", "popup,width=480,height=680");
  return (
    // The attribute of React Aria lets the region be used while a dialog is open. It must be there when the dialog opens.
    <div className="signed-out-region" role="alert" data-react-aria-top-layer>
      {isSignedOut ? (
        <div className="signed-out">
          <p>You are signed out. What you typed is still here.</p>
          <Button look="primary" onPress={signIn} ref={button}>
            Sign in again
          </Button>
        </div>
      ) : null}
    </div>
  );
}
