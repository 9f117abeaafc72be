import "./admin-frame.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { meQuery } from "../../api/queries.ts";
import { ButtonLink } from "../../kit/Button.tsx";
import { Empty } from "../../kit/Empty.tsx";
import { Places } from "../../kit/Places.tsx";
import { Screen } from "../../kit/Screen.tsx";
import { ADMIN_PLACES } from "./places.ts";

/** What surrounds the screens of the administration: links to all of them. Others than administrators read that it is not for them. */
export function AdminFrame() {
  const { data: me } = useSuspenseQuery(meQuery);
  if (!me.isAdmin) return <NoAdministrator email={me.email} />;
  return (
    <>
      <p className="admin-head">Administration</p>
      <Places label="Screens of the administration" className="admin-places">
        {ADMIN_PLACES.map(({ to, label }) => (
          <Link key={to} to={to}>
            {label}
          </Link>
        ))}
      </Places>
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
        You are signed in as <bdi>{email}</bdi>. This account is not an administrator. The operator of the
        service names the administrators in the setting <code>SERVICE_ADMIN_EMAILS</code>.
      </p>
    </Empty>
  </Screen>
);
