import { Bars } from "../../../kit/Bars.tsx";
import { countOf } from "../../../kit/words.ts";
import type { Result } from "./results.ts";

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 });

/** What people have answered, field by field: the most frequent answers as bars, and numbers as their mean. */
export function Results({ results }: { results: readonly Result[] }) {
  if (results.length === 0)
    return <p className="small soft">The submissions have no fields with answers that can be counted.</p>;
  return (
    <div className="result-list">
      {results.map((result) => (
        <FieldResult key={result.field ?? "\u0000value"} result={result} />
      ))}
    </div>
  );
}

function FieldResult({
  result: { field, answered, isMultiple, counts, others, different, numbers },
}: {
  result: Result;
}) {
  const heading = field === null ? "Answer" : field === "" ? "Field without a name" : field;
  return (
    <section className="result">
      <h4>
        <bdi>{heading}</bdi>
      </h4>
      <p className="small soft">
        {countOf(answered, "person has", "people have")} answered
        {isMultiple ? ", some with several answers" : ""}
        {numbers === null
          ? ""
          : `. ${number.format(numbers.least)} to ${number.format(numbers.most)}, on average ${number.format(numbers.mean)}`}
        .
      </p>
      {counts.length === 0 ? (
        <p className="small">{countOf(different, "different answer")}: they are in the list below.</p>
      ) : (
        <Bars
          label={`Answers in ${heading}`}
          heads={["Answer", "People", "Share"]}
          rows={[
            ...counts.map(({ answer, count }, index) => ({
              key: String(index),
              label: answer,
              value: count,
              amounts: [number.format(count), percent.format(count / answered)],
            })),
            ...(others === 0
              ? []
              : [
                  {
                    key: "others",
                    label: countOf(different - counts.length, "other answer"),
                    value: others,
                    amounts: [number.format(others), percent.format(others / answered)],
                  },
                ]),
          ]}
        />
      )}
    </section>
  );
}
