import { Link2, User, Users, UserX } from "lucide-react";
import { useState } from "react";
import { addressesIn } from "../../kit/addresses.ts";
import { ComboBox, type Proposal } from "../../kit/ComboBox.tsx";
import { Answer } from "./Answer.tsx";
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
        <Answer
          canvas={canvas}
          query={explanationQuery(canvas.id, asked.whom)}
          name={asked.name}
          isNamed={!("as" in asked.whom || asked.name.startsWith("A colleague"))}
        />
      )}
    </aside>
  );
}
