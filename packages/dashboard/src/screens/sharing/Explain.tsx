import { useQuery } from "@tanstack/react-query";
import { Check, CircleSlash, Link2, Minus, User, Users, UserX } from "lucide-react";
import { useState } from "react";
import type { Explanation } from "../../api/types.ts";
import { ComboBox, type Proposal } from "../../kit/ComboBox.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { addressesIn } from "./addresses.ts";
import { answerOf, closesWords, PERMISSIONS, rightsWords } from "./explanation.ts";
import { explanationQuery, type Whom } from "./sharing-queries.ts";
import type { Sharing } from "./useSharing.ts";

/** Somebody to ask about: as `canvas.explain` names them, and as the screen does. */
interface Asked {
  whom: Whom;
  name: string;
}

/** The number of proposals that are shown at once. */
const SHOWN = 30;

/** "What does this person see?": asks the service, about the sharing as it is saved. */
export function Explain({ sharing }: { sharing: Sharing }) {
  const { canvas, guests } = sharing;
  const [text, setText] = useState("");
  const [asked, setAsked] = useState<Asked | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  // An address that nobody has: the letters are chosen at random, once.
  const [colleague] = useState(() => `a-colleague-${crypto.getRandomValues(new Uint32Array(2)).join("")}`);
  const domain = canvas.owner.email.slice(canvas.owner.email.indexOf("@"));

  const all: (Proposal & { whom: Whom; name: string })[] = [
    {
      id: "anonymous",
      label: "Somebody not signed in",
      icon: <UserX aria-hidden />,
      whom: { as: "anonymous" },
      name: "Somebody who is not signed in",
    },
    {
      id: "colleague",
      label: "A colleague not on the list",
      description: `Somebody of ${domain}`,
      icon: <Users aria-hidden />,
      whom: { email: colleague + domain },
      name: "A colleague who is not on the list",
    },
    ...[canvas.owner, ...canvas.people].map(({ email, name }) => ({
      id: `person ${email}`,
      label: name ?? email,
      description: name === null ? undefined : email,
      icon: <User aria-hidden />,
      whom: { email },
      name: name ?? email,
    })),
    ...guests.map(({ id, name, email }) => ({
      id: `guest ${id}`,
      label: name,
      description: `Guest, ${email}`,
      icon: <Link2 aria-hidden />,
      whom: { invite: id },
      name,
    })),
  ];
  const wanted = chosen === null ? text.trim().toLowerCase() : "";
  const proposals = all
    .filter(({ label, description = "" }) => `${label} ${description}`.toLowerCase().includes(wanted))
    .slice(0, SHOWN);

  const ask = () => {
    const { emails, faults } = addressesIn(text);
    const [email] = emails;
    if (email === undefined || emails.length > 1) {
      setFault(
        faults[0] === undefined
          ? "Choose somebody, or enter one e-mail address."
          : `“${faults[0].text}” ${faults[0].why}.`,
      );
      return;
    }
    setAsked({ whom: { email }, name: email });
  };
  return (
    <aside className="card stack explain" aria-labelledby="explain">
      <h2 id="explain">What does this person see?</h2>
      <ComboBox
        label="Person"
        placeholder="Choose, or enter an address"
        proposals={proposals}
        empty={chosen === null && text.trim() !== "" ? "Press Enter to ask about this address." : undefined}
        opensOnFocus
        text={text}
        onText={(to) => {
          setText(to);
          setChosen(null);
          setFault(null);
        }}
        chosen={chosen}
        onChoose={(id) => {
          const one = all.find((each) => each.id === id);
          if (one === undefined) return;
          setText(one.label);
          setChosen(id);
          setFault(null);
          setAsked(one);
        }}
        onEnter={ask}
        error={fault}
      />
      {asked === null ? (
        <p className="soft small">The service answers by the rules that decide about their requests.</p>
      ) : (
        <Answer sharing={sharing} asked={asked} />
      )}
    </aside>
  );
}

function Answer({ sharing: { canvas }, asked: { whom, name } }: { sharing: Sharing; asked: Asked }) {
  const { data, error, isPending } = useQuery(explanationQuery(canvas.id, whom));
  if (error !== null) return <ErrorNote error={error} />;
  if (isPending) return <Loading what="the answer" rows={2} />;
  const known = "as" in whom || name.startsWith("A colleague") ? null : data.subject.name;
  const later = data.steps.filter(({ outcome }) => outcome === "not_reached").length;
  const { verdict, first, more } = answerOf(data, known ?? name, canvas);
  return (
    <div className="answer" aria-live="polite">
      <div className={`note ${{ in: "good", password: "wait", out: "bad" }[verdict]}`}>
        <p>
          <strong>
            <bdi>{first}</bdi>
          </strong>
        </p>
        {more.map((each) => (
          <p key={each}>
            <bdi>{each}</bdi>
          </p>
        ))}
      </div>
      <h3>Step by step</h3>
      <ol className="steps">
        {data.steps.map((step) =>
          step.outcome === "not_reached" ? null : <Step key={step.rule} {...step} />,
        )}
        {later === 0 ? null : (
          <li className="step not_reached">
            <Minus aria-hidden />
            {later === 1 ? "One later rule is not reached." : `${later} later rules are not reached.`}
          </li>
        )}
      </ol>
      {data.role === null ? null : <Rights explanation={data} />}
    </div>
  );
}

function Step({ outcome, because, closes }: Explanation["steps"][number]) {
  const isRefused = outcome === "refused";
  return (
    <li className={`step ${outcome}`}>
      {isRefused ? <CircleSlash aria-hidden /> : <Check aria-hidden />}
      <span>
        {isRefused ? <strong>{closesWords(closes)}. </strong> : <span className="hidden-text">Passed. </span>}
        <bdi>{because}</bdi>
      </span>
    </li>
  );
}

/** What somebody may do with the backend, one by one. */
function Rights({ explanation: { permissions, resources } }: { explanation: Explanation }) {
  const groups = [...Object.entries(resources.collections), ...Object.entries(resources.fileGroups)];
  return (
    <details>
      <summary>What the backend lets them do</summary>
      <ul className="steps">
        {(Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[]).map((each) => (
          <li key={each} className={`step ${permissions[each] ? "passed" : "not_reached"}`}>
            {permissions[each] ? <Check aria-hidden /> : <Minus aria-hidden />}
            <span>
              <span className="hidden-text">{permissions[each] ? "Yes: " : "No: "}</span>
              {PERMISSIONS[each]}
            </span>
          </li>
        ))}
        {groups.map(([group, rights]) => (
          <li key={group} className="step passed">
            <Check aria-hidden />
            <span>
              <bdi>
                <code>{group}</code>
              </bdi>
              : {rightsWords(rights)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
