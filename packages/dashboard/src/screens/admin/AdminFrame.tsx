import "./admin-frame.css";
import "../../kit/places.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { useEffect, useRef } from "react";
import { meQuery } from "../../api/queries.ts";
import { ButtonLink } from "../../kit/Button.tsx";
import { Empty } from "../../kit/Empty.tsx";
import { Screen } from "../../kit/Screen.tsx";
import { ADMIN_PLACES } from "./places.ts";

/** What surrounds the screens of the administration: links to all of them. Others than administrators read that it is not for them. */
export function AdminFrame() {
  const { data: me } = useSuspenseQuery(meQuery);
  const places = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // In a narrow window, the link of the screen may be out of view.
  useEffect(() => {
    const link = path === "" ? null : places.current?.querySelector("[aria-current]");
    link?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [path]);
  if (!me.isAdmin) return <NoAdministrator email={me.email} />;
  return (
    <>
      <p className="admin-head">Administration</p>
      <nav ref={places} className="places admin-places" aria-label="Screens of the administration">
        {ADMIN_PLACES.map(({ to, label }) => (
          <Link key={to} to={to}>
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
}

const NoAdministrator = ({ email }: { email: string }) => (
  <Screen title="Administration">
    <Empty
      icon={<ShieldCheck aria-hidden />}
      title="Only administrators see this"
      acts={
        <ButtonLink to="/" look="primary">
          Your canvases
        </ButtonLink>
      }
    >
      <p>
        You are signed in as <bdi>{email}</bdi>, who is no administrator of this instance. Whoever runs it
        names its administrators in the setting <code>SERVICE_ADMIN_EMAILS</code>.
      </p>
    </Empty>
  </Screen>
);
