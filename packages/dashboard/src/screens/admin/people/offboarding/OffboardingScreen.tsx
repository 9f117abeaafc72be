import "../people.css";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { adminChanged, handoverQuery, personQuery } from "../../../../api/admin.ts";
import { ApiError } from "../../../../api/api-error.ts";
import { meQuery } from "../../../../api/queries.ts";
import type { AdminPerson, Handover } from "../../../../api/types.ts";
import { NotFound } from "../../../../frame/ScreenError.tsx";
import { ErrorNote } from "../../../../kit/ErrorNote.tsx";
import { Loading } from "../../../../kit/Loading.tsx";
import { Screen } from "../../../../kit/Screen.tsx";
import type { OffboardingSearch } from "../../search.ts";
import { Owned } from "./Owned.tsx";
import { Preview } from "./Preview.tsx";
import { type Choice, sharesOf } from "./plan.ts";
import { Receivers } from "./Receivers.tsx";
import { Result } from "./Result.tsx";
import { type Run, run } from "./run.ts";

const STEPS = ["What they own", "Who takes it", "What will happen", "Result"];

/** How the access of a person ends, in four steps. What has been handed over is not listed again, so it can go on after a failure or a reload. */
export function OffboardingScreen() {
  const { userId } = useParams({ from: "/admin/people/$userId/offboarding" });
  const person = useQuery(personQuery(userId));
  const owned = useQuery({ ...handoverQuery(userId), staleTime: 0 });
  const error = person.error ?? owned.error;
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (person.data === undefined || owned.data === undefined)
    return (
      <Screen title="Offboarding">
        {error === null ? <Loading what="what they own" /> : <ErrorNote error={error} />}
      </Screen>
    );
  return (
    <>
      <p>
        <Link to="/admin/people/$userId" params={{ userId }} className="back-link">
          <ArrowLeft aria-hidden /> <bdi>{person.data.name}</bdi>
        </Link>
      </p>
      <Screen title={`Offboarding ${person.data.name}`}>
        <Steps key={userId} person={person.data} owned={owned.data} />
      </Screen>
    </>
  );
}

function Steps({ person, owned }: { person: AdminPerson; owned: Handover }) {
  const { data: me } = useSuspenseQuery(meQuery);
  const { step, to = "" } = useSearch({ from: "/admin/people/$userId/offboarding" });
  const navigate = useNavigate();
  const [others, setOthers] = useState<Choice["others"]>({});
  const [teams, setTeams] = useState(true);
  const isSelf = person.id === me.id;
  const [deactivates, setDeactivates] = useState(person.deactivatedAt === null && !isSelf);
  const [endsGuests, setEndsGuests] = useState(false);
  const [reason, setReason] = useState("");
  const [progress, setProgress] = useState<string | null>(null);
  const [result, setResult] = useState<Run | null>(null);

  const choice: Choice = { to, others, teams };
  const shares = sharesOf(owned.canvases, owned.teams.length > 0, choice);
  const isComplete = shares.length > 0 && shares.every((share) => share.to !== "");
  const go = (next: OffboardingSearch["step"], receiver = to) => {
    setResult(null);
    void navigate({
      to: "/admin/people/$userId/offboarding",
      params: { userId: person.id },
      search: { step: next, to: receiver === "" ? undefined : receiver },
      resetScroll: false,
    });
  };

  const perform = async () => {
    if (progress !== null) return;
    setProgress("Handing over…");
    const options = { deactivate: deactivates, endGuests: endsGuests, reason: reason.trim() };
    const done = await run(person.id, shares, options, (index) =>
      setProgress(`Handing over: ${index + 1} of ${shares.length}…`),
    );
    await adminChanged();
    setProgress(null);
    setResult(done);
  };

  // What a link names may have been handed over since.
  const shown = result !== null ? 3 : step === "preview" && isComplete ? 2 : step === "who" ? 1 : 0;
  return (
    <div className="stack offboarding">
      <ol className="steps-of-four" aria-label="Steps">
        {STEPS.map((name, index) => (
          <li key={name} aria-current={index === shown ? "step" : undefined}>
            {index + 1}. {name}
          </li>
        ))}
      </ol>
      <section className="card stack" aria-label={STEPS[shown]}>
        {result !== null ? (
          <Result
            person={person}
            result={result}
            owned={owned}
            onAgain={perform}
            isPending={progress !== null}
            onChange={() => go("who")}
          />
        ) : shown === 0 ? (
          <Owned
            person={person}
            owned={owned}
            isSelf={isSelf}
            takesFocus={step !== undefined}
            onNext={() => go("who")}
          />
        ) : shown === 1 ? (
          <Receivers
            person={person}
            owned={owned}
            choice={choice}
            onOthers={setOthers}
            onTeams={setTeams}
            deactivates={deactivates}
            onDeactivates={person.deactivatedAt === null && !isSelf ? setDeactivates : null}
            endsGuests={endsGuests}
            onEndsGuests={setEndsGuests}
            reason={reason}
            onReason={setReason}
            onBack={() => go(undefined)}
            onNext={(receiver) => go("preview", receiver)}
          />
        ) : (
          <Preview
            person={person}
            owned={owned}
            shares={shares}
            deactivates={deactivates}
            endsGuests={endsGuests}
            isPending={progress !== null}
            onBack={() => go("who")}
            onPerform={perform}
          />
        )}
        <p role="status" className={progress === null ? "hidden-text" : "soft"}>
          {progress ?? ""}
        </p>
      </section>
    </div>
  );
}
