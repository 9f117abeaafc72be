import { useEffect } from "react";
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
  useEffect(() => onSignedIn(() => void checkAgain(id)), [id]);
  if (!isSignedOut) return null;
  const signIn = () => window.open(signInAddress(authMode), "easel-sign-in", "popup,width=480,height=680");
  return (
    <div className="signed-out" role="alert">
      <p>You are signed out. What you typed is still here.</p>
      <Button look="primary" onPress={signIn}>
        Sign in again
      </Button>
    </div>
  );
}
