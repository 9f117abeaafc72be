import { useEffect, useRef } from "react";
import { api, bodyOf } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { isSignedOut, noteSignedIn, noteSignedOut, onMaybeSignedIn, useSignedOut } from "../api/session.ts";
import type { Me } from "../api/types.ts";
import { Button } from "../kit/Button.tsx";

/** The address that signs a person in. A proxy signs them in when they open any page. */
const signInAddress = (mode: Me["authMode"]): string =>
  mode === "proxy" ? "/auth/done" : "/auth/login?returnTo=/auth/done";

/**
 * Reads again who the caller is. Another person than before starts with a new page, and until then nothing goes on that waits for the one before,
 * so that nothing of theirs is sent in another name.
 */
async function checkAgain(before: string): Promise<void> {
  const me = await bodyOf(api.GET("/api/me")).catch(() => null);
  if (me === null) return;
  if (me.id !== before) {
    noteSignedOut();
    location.reload();
  } else if (isSignedOut()) {
    noteSignedIn();
    await queries.invalidateQueries();
  }
}

/**
 * The bar at the end of a session. The page stays as it is, with all that was typed, and the person signs in again in a small window. Its
 * last page says when it is done.
 */
export function SignedOutBar({ me: { id, authMode } }: { me: Me }) {
  const signedOut = useSignedOut();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => onMaybeSignedIn(() => void checkAgain(id)), [id]);
  useEffect(() => {
    if (!signedOut) return;
    // The keyboard cannot leave a dialog, so the focus moves to the button and, after the sign-in, back.
    const { activeElement: before } = document;
    if (!(before instanceof HTMLElement) || before.closest("[role$=dialog]") === null) return;
    button.current?.focus();
    return () => before.focus();
  }, [signedOut]);
  const signIn = () => window.open(signInAddress(authMode), "easel-sign-in", "popup,width=480,height=680");
  return (
    // The attribute of React Aria lets the region be used while a dialog is open. It must be there when the dialog opens.
    <div className="signed-out-region" role="alert" data-react-aria-top-layer>
      {signedOut ? (
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
