import "../people/people.css";
import "./connections.css";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { adminChanged, connectionsQuery, deleteConnection, profileUsageQuery } from "../../../api/admin.ts";
import type { ConnectionProfile } from "../../../api/types.ts";
import { NotFound } from "../../../frame/ScreenError.tsx";
import { DayBars } from "../../../kit/Bars.tsx";
import { Button } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { Loading, Reading } from "../../../kit/Loading.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";
import { ProfileState } from "./ConnectionsScreen.tsx";
import { Grants } from "./Grants.tsx";
import { ProfileForm } from "./ProfileForm.tsx";
import { TestCall } from "./TestCall.tsx";
import { callAmounts } from "./words.ts";

/** One Connection: what it may call, a test call, the canvases that may use it, and its calls by day. */
export function ConnectionScreen() {
  const { profile: name } = useParams({ from: "/admin/connections/$profile" });
  const { data: profiles, error } = useQuery(connectionsQuery);
  const profile = profiles?.find((each) => each.profile === name);
  if (profiles !== undefined && profile === undefined) return <NotFound />;
  if (profile === undefined)
    return (
      <Screen title="Connection">
        {error === null ? <Loading what="the Connection" /> : <ErrorNote error={error} />}
      </Screen>
    );
  return (
    <>
      <p>
        <Link to="/admin/connections" className="back-link">
          <ArrowLeft aria-hidden /> Connections
        </Link>
      </p>
      <Screen title={name} acts={<ProfileState profile={profile} />}>
        <div className="stack connection">
          {profile.keyAvailable ? null : (
            <p className="note bad">
              <span>
                The stored headers cannot be opened: <code>SERVICE_ENCRYPTION_KEY</code> is missing or another
                one. Calls are refused until the key is back, or the headers are entered again.
              </span>
            </p>
          )}
          <section className="card stack" aria-labelledby="profile">
            <h2 id="profile">What it may call</h2>
            <ProfileForm
              key={name}
              profile={profile}
              act="Save"
              onDone={() => toast({ text: `Saved ${name}.` })}
            />
          </section>
          <TestCall key={`test ${name}`} profile={profile} />
          <Grants profile={profile} />
          <Calls name={name} />
          <section className="card stack" aria-label="Delete">
            <Delete profile={profile} />
          </section>
        </div>
      </Screen>
    </>
  );
}

function Calls({ name }: { name: string }) {
  const query = useQuery(profileUsageQuery(name));
  const { data: usage } = query;
  return (
    <section className="card stack" aria-labelledby="calls">
      <h2 id="calls">Calls this month</h2>
      <Reading query={query} what="the calls" rows={3} />
      {usage === undefined ? null : usage.total.calls === 0 ? (
        <p className="soft">There are none.</p>
      ) : (
        <DayBars
          label={`Calls of ${name} by day`}
          heads={["Day", "Calls", "Failed", "Half within"]}
          days={usage.days.map((day) => ({ day: day.day, value: day.calls, amounts: callAmounts(day) }))}
          from={usage.from}
          to={usage.to}
          amountOf={(value) => countOf(value, "call")}
        />
      )}
    </section>
  );
}

function Delete({ profile: { profile: name, grants } }: { profile: ConnectionProfile }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  return (
    <DangerAct
      title="Delete it"
      button={
        <Button look="danger" onPress={() => setOpen(true)}>
          Delete…
        </Button>
      }
    >
      <p>Its headers and its grants are gone for good. To stop calls for a while, disable it.</p>
      <ConfirmDialog
        title={`Delete ${name}?`}
        act="Delete"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          await deleteConnection(name);
          toast({ text: `Deleted ${name}.` });
          await navigate({ to: "/admin/connections" });
          await adminChanged();
        }}
      >
        <p>
          {grants.length === 0
            ? "No canvas may use it."
            : `${countOf(grants.length, "canvas", "canvases")} can no longer call it.`}{" "}
          The values of its headers are removed. This cannot be undone.
        </p>
      </ConfirmDialog>
    </DangerAct>
  );
}
