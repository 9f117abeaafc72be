import { useQuery } from "@tanstack/react-query";
import { User, UserX } from "lucide-react";
import { useState } from "react";
import { foundPeopleQuery } from "../../../api/admin.ts";
import type { AdminCanvas } from "../../../api/types.ts";
import { addressesIn } from "../../../kit/addresses.ts";
import { ComboBox, type Proposal } from "../../../kit/ComboBox.tsx";
import { useSettled } from "../../../kit/useSettled.ts";
import { Answer } from "../../sharing/Answer.tsx";
import { explanationOfAnyQuery, type Whom } from "../../sharing/sharing-queries.ts";

/** "What does this person see?", for any canvas and any person. */
export function ExplainAny({ canvas }: { canvas: AdminCanvas }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const [asked, setAsked] = useState<{ whom: Whom; name: string } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const typed = chosen === null ? text.trim().toLowerCase() : "";
  const { data: found = [] } = useQuery(foundPeopleQuery(useSettled(typed)));
  const proposals: Proposal[] = [
    { id: "anonymous", label: "Somebody not signed in", icon: <UserX aria-hidden /> },
    { id: canvas.owner.email, label: canvas.owner.email, description: "Owner", icon: <User aria-hidden /> },
    ...found
      .filter(({ email }) => typed !== "" && email !== canvas.owner.email)
      .map(({ email, name }) => ({ id: email, label: email, description: name, icon: <User aria-hidden /> })),
  ].filter(({ label, description = "" }) => `${label} ${description}`.toLowerCase().includes(typed));

  const ask = () => {
    const { emails, faults } = addressesIn(text);
    const [email] = emails;
    if (email === undefined || emails.length > 1)
      setFault(
        faults[0] === undefined
          ? "Choose somebody, or enter one e-mail address."
          : `“${faults[0].text}” ${faults[0].why}.`,
      );
    else setAsked({ whom: { email }, name: email });
  };
  return (
    <section className="card stack" aria-labelledby="explain">
      <h2 id="explain">What does this person see?</h2>
      <ComboBox
        label="Person"
        placeholder="Choose, or enter an address"
        proposals={proposals}
        empty={typed === "" ? undefined : "Press Enter to ask about this address."}
        opensOnFocus
        text={text}
        onText={(to) => {
          setText(to);
          setChosen(null);
          setFault(null);
        }}
        chosen={chosen}
        onChoose={(id) => {
          const isAnonymous = id === "anonymous";
          setText(isAnonymous ? "Somebody not signed in" : id);
          setChosen(id);
          setFault(null);
          setAsked(
            isAnonymous
              ? { whom: { as: "anonymous" }, name: "Somebody who is not signed in" }
              : { whom: { email: id }, name: id },
          );
        }}
        onEnter={ask}
        error={fault}
      />
      {asked === null ? (
        <p className="soft small">
          The service answers by the rules that decide about their requests, and shows nothing of the canvas.
        </p>
      ) : (
        <Answer
          // Administrators do not see what its backend has switched off.
          canvas={{ version: canvas.version, capabilitiesOff: {} }}
          query={explanationOfAnyQuery(canvas.id, asked.whom)}
          name={asked.name}
          isNamed={!("as" in asked.whom)}
        />
      )}
    </section>
  );
}
