import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { Compass, LogIn } from "lucide-react";
import { ApiError, SignedOut } from "../api/api-error.ts";
import { Button, ButtonLink } from "../kit/Button.tsx";
import { Empty } from "../kit/Empty.tsx";
import { ErrorNote } from "../kit/ErrorNote.tsx";

/** What is shown for an address that leads nowhere, or to something that the caller may not see: the service does not tell which. */
export const NotFound = () => (
  <Empty
    icon={<Compass aria-hidden />}
    title="There is nothing here"
    acts={
      <ButtonLink to="/" look="primary">
        Your canvases
      </ButtonLink>
    }
  >
    <p>It was deleted, it is not shared with you, or the address is not right.</p>
  </Empty>
);

/** What is shown if the session ended before anything could be read. The service asks for a sign-in when the page is loaded again. */
const SignInAgain = () => (
  <Empty
    icon={<LogIn aria-hidden />}
    title="You are signed out"
    acts={
      <Button look="primary" onPress={() => location.reload()}>
        Sign in again
      </Button>
    }
  />
);

/** What is shown in place of a screen that could not be read or drawn. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (error instanceof SignedOut) return <SignInAgain />;
  const again = async () => {
    await router.invalidate();
    reset();
  };
  return (
    <div className="screen-error">
      <ErrorNote error={error as Error}>
        <div>
          <Button onPress={again}>Try again</Button>
        </div>
      </ErrorNote>
    </div>
  );
}
