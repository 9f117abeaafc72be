import "./frame.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { meQuery } from "../api/queries.ts";
import { DropTarget } from "./DropTarget.tsx";
import { Rail } from "./Rail.tsx";
import { Shortcuts } from "./Shortcuts.tsx";
import { SignedOutBar } from "./SignedOutBar.tsx";
import { Toasts } from "./Toasts.tsx";

/** What surrounds every screen: navigation, the bar after the end of a session, and messages. */
export function Frame() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Rail me={me} />
      <div className="stage">
        <SignedOutBar me={me} />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <DropTarget />
      <Shortcuts />
      <Toasts />
    </div>
  );
}
