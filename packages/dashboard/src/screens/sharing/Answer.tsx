import "./answer.css";
import { useQuery } from "@tanstack/react-query";
import { Check, CircleSlash, Minus } from "lucide-react";
import type { Explanation } from "../../api/types.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { answerOf, closesWords, type Explained, PERMISSIONS, rightsWords } from "./explanation.ts";
import type { explanationQuery } from "./sharing-queries.ts";

/** Whether somebody gets into a canvas, why, and what they may do there, as the service explains it. */
export function Answer({
  canvas,
  query,
  name,
  isNamed,
}: {
  canvas: Explained;
  query: ReturnType<typeof explanationQuery>;
  /** The subject of the question, in words. */
  name: string;
  /** Whether the answer may say the name of the person instead. */
  isNamed: boolean;
}) {
  const { data, error, isPending } = useQuery(query);
  if (error !== null) return <ErrorNote error={error} />;
  if (isPending) return <Loading what="the answer" rows={2} />;
  const known = isNamed ? data.subject.name : null;
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
