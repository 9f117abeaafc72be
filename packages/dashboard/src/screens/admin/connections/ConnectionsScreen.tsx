import "./connections.css";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plug, Plus } from "lucide-react";
import { useState } from "react";
import { connectionsQuery } from "../../../api/admin.ts";
import type { ConnectionProfile } from "../../../api/types.ts";
import { Badge } from "../../../kit/Badge.tsx";
import { Button } from "../../../kit/Button.tsx";
import { Dialog } from "../../../kit/Dialog.tsx";
import { Empty } from "../../../kit/Empty.tsx";
import { Reading } from "../../../kit/Loading.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";
import { ProfileForm } from "./ProfileForm.tsx";

/** The external servers that pages may call through the service. */
export function ConnectionsScreen() {
  const query = useQuery(connectionsQuery);
  const { data: profiles } = query;
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const add = (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => setNew(true)}>
      New Connection
    </Button>
  );
  return (
    <Screen title="Connections" acts={add}>
      <Reading query={query} what="the Connections" />
      {profiles?.length === 0 ? (
        <Empty icon={<Plug aria-hidden />} title="There are no Connections">
          <p>
            A Connection lets the pages of chosen canvases call an external server. The service adds secret
            headers, which no page sees.
          </p>
        </Empty>
      ) : null}
      <ul className="stack">
        {profiles?.map((profile) => (
          <li key={profile.profile} className="card profile">
            <div>
              <h2>
                <Link to="/admin/connections/$profile" params={{ profile: profile.profile }}>
                  {profile.profile}
                </Link>
              </h2>
              <p className="soft">
                <bdi>{profile.origin}</bdi>
              </p>
              <p className="soft small">
                {profile.methods.join(", ")} ·{" "}
                {profile.grants.length === 0
                  ? "granted to no canvas"
                  : `granted to ${countOf(profile.grants.length, "canvas", "canvases")}`}
              </p>
            </div>
            <ProfileState profile={profile} />
          </li>
        ))}
      </ul>
      <Dialog title="New Connection" isOpen={isNew} onClose={() => setNew(false)}>
        <ProfileForm
          profile={null}
          act="Add"
          onDone={(name) => {
            setNew(false);
            toast({ text: `Added ${name}.` });
            void navigate({ to: "/admin/connections/$profile", params: { profile: name } });
          }}
        >
          <Button onPress={() => setNew(false)}>Cancel</Button>
        </ProfileForm>
      </Dialog>
    </Screen>
  );
}

export const ProfileState = ({ profile: { enabled, keyAvailable } }: { profile: ConnectionProfile }) =>
  keyAvailable ? (
    enabled ? (
      <Badge look="good">Enabled</Badge>
    ) : (
      <Badge look="wait">Disabled</Badge>
    )
  ) : (
    <Badge look="bad">Headers cannot be opened</Badge>
  );
