import { useMutation, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { adminChanged, personQuery, updatePerson } from "../../../api/admin.ts";
import { ApiError } from "../../../api/api-error.ts";
import { meQuery } from "../../../api/queries.ts";
import type { AdminPerson } from "../../../api/types.ts";
import { NotFound } from "../../../frame/ScreenError.tsx";
import { Badge } from "../../../kit/Badge.tsx";
import { ButtonLink } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { Facts } from "../../../kit/Facts.tsx";
import { Loading } from "../../../kit/Loading.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { Time } from "../../../kit/Time.tsx";
import { Toggle } from "../../../kit/Toggle.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";
import { Activity } from "./Activity.tsx";
import { PersonAccounts } from "./PersonAccounts.tsx";
import { PersonalData } from "./PersonalData.tsx";
import { PersonGuests } from "./PersonGuests.tsx";
import { PersonSessions } from "./PersonSessions.tsx";
import { PersonTools } from "./PersonTools.tsx";
import { Quotas } from "./Quotas.tsx";
import { SignOut } from "./SignOut.tsx";

/** One person: who they are, what they may do and use, and the end of their access. */
export function PersonScreen() {
  const { userId } = useParams({ from: "/admin/people/$userId" });
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: person, error } = useQuery(personQuery(userId));
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (person === undefined)
    return (
      <Screen title="Person">
        {error === null ? <Loading what="the person" /> : <ErrorNote error={error} />}
      </Screen>
    );
  return (
    <>
      <p>
        <Link to="/admin/people" className="back-link">
          <ArrowLeft aria-hidden /> People
        </Link>
      </p>
      <Screen title={person.name}>
        <div className="stack">
          <About person={person} isSelf={person.id === me.id} />
          <Quotas key={person.id} person={person} />
          <section className="card stack" aria-labelledby="rights">
            <h2 id="rights">Rights</h2>
            <Publishing person={person} />
            <AdminRight person={person} isSelf={person.id === me.id} />
          </section>
          <PersonAccounts key={`accounts-${person.id}`} person={person} />
          <PersonSessions key={`sessions-${person.id}`} person={person} />
          <PersonTools key={`tools-${person.id}`} person={person} />
          <PersonGuests key={`guests-${person.id}`} person={person} />
          {person.erasedAt !== null ? null : (
            <section className="card stack" aria-labelledby="leave">
              <h2 id="leave">End their access</h2>
              <SignOut person={person} />
              <DangerAct
                title="Offboard"
                button={
                  <ButtonLink to="/admin/people/$userId/offboarding" params={{ userId: person.id }}>
                    Offboard…
                  </ButtonLink>
                }
              >
                <p>
                  Step by step: choose who takes what they own and whether their guests keep access, and
                  deactivate them at the end.
                </p>
              </DangerAct>
              <Activity person={person} isSelf={person.id === me.id} />
            </section>
          )}
          <PersonalData key={`data-${person.id}`} person={person} isSelf={person.id === me.id} />
        </div>
      </Screen>
    </>
  );
}

function About({ person, isSelf }: { person: AdminPerson; isSelf: boolean }) {
  const { email, createdAt, lastSeenAt, deactivatedAt, erasedAt, canvases, sessions, tokens, apps, isAdmin } =
    person;
  return (
    <section className="card stack" aria-label="Facts">
      <div className="row">
        {erasedAt !== null ? (
          <Badge look="bad">Erased</Badge>
        ) : deactivatedAt === null ? (
          <Badge look="good">Active</Badge>
        ) : (
          <Badge look="bad">Deactivated</Badge>
        )}
        {isAdmin ? <Badge look="plain">Administrator</Badge> : null}
        {isSelf ? <Badge look="plain">You</Badge> : null}
      </div>
      <Facts>
        <dt>E-mail address</dt>
        <dd>
          <bdi>{email}</bdi>
        </dd>
        <dt>Known since</dt>
        <dd>
          <Time at={createdAt} as="day" />
        </dd>
        <dt>Last seen</dt>
        <dd>{lastSeenAt === null ? "Not recorded" : <Time at={lastSeenAt} />}</dd>
        {deactivatedAt === null ? null : (
          <>
            <dt>Deactivated</dt>
            <dd>
              <Time at={deactivatedAt} />
            </dd>
          </>
        )}
        <dt>Signed in</dt>
        <dd>
          {countOf(sessions, "session")}, {countOf(tokens, "access token")}, {countOf(apps, "connected tool")}
        </dd>
        <dt>Owns</dt>
        <dd>
          {canvases === 0 ? (
            "No canvas"
          ) : (
            <Link to="/admin/canvases" search={{ q: email }}>
              {countOf(canvases, "canvas", "canvases")}
            </Link>
          )}
        </dd>
        <dt>What they did</dt>
        <dd>
          <Link to="/admin/audit" search={{ actor: email }}>
            In the audit log
          </Link>
        </dd>
      </Facts>
    </section>
  );
}

function Publishing({ person: { id, name, canPublishPublic } }: { person: AdminPerson }) {
  const change = useMutation({
    mutationFn: (to: boolean) => updatePerson(id, { canPublishPublic: to }),
    onSuccess: (_, to) => toast({ text: `${name} ${to ? "may" : "may not"} open canvases to everyone.` }),
    onSettled: () => adminChanged(),
  });
  return (
    <div className="stack">
      <Toggle
        isSelected={change.isPending ? change.variables : canPublishPublic}
        onChange={(to) => change.mutate(to)}
        description="With a public link, anyone on the internet can open the pages. If public links are off on the instance, this has no effect."
      >
        May open canvases to everyone by a public link
      </Toggle>
      {change.error === null ? null : <ErrorNote error={change.error} />}
    </div>
  );
}

/** The right of administrators. Settings of the service and groups give it, so that nobody can lock all of them out here. */
const AdminRight = ({ person: { name, isAdmin }, isSelf }: { person: AdminPerson; isSelf: boolean }) => (
  <div>
    <h3>{isAdmin ? "Administrator" : "Not an administrator"}</h3>
    <p className="small soft">
      {isSelf ? "You are" : <bdi>{name}</bdi>} {isSelf ? "" : isAdmin ? "is" : "is not"} an administrator.
      This right can be neither given nor taken away here, so nobody loses it by a click. It belongs to the
      addresses in the setting <code>SERVICE_ADMIN_EMAILS</code>, and to the groups of the sign-in service in{" "}
      <code>SERVICE_OIDC_ADMIN_GROUPS</code>.
    </p>
  </div>
);
