import { Rows3, SearchX } from "lucide-react";
import { Button } from "../../../kit/Button.tsx";
import { Empty } from "../../../kit/Empty.tsx";
import { Code } from "../Code.tsx";
import { fieldOf } from "./columns.ts";

/** What a collection shows instead of records: why there are none, and what to do. */
export function NoRecords({
  name,
  isFiltered,
  isHidden,
  order,
  onClear,
}: {
  name: string;
  isFiltered: boolean;
  /** Whether there are records that the policy does not show to the person. */
  isHidden: boolean;
  order: string;
  onClear: () => void;
}) {
  const field = fieldOf(order.replace(/^-/, ""));
  if (isFiltered || field !== null)
    return (
      <Empty
        icon={<SearchX aria-hidden />}
        title={isFiltered ? "No record meets the filter" : "No record has this field"}
        acts={<Button onPress={onClear}>{isFiltered ? "Clear the filter" : "Newest first"}</Button>}
      >
        {field === null ? null : (
          <p>
            The list is ordered by <bdi>{field}</bdi>, and has only records with such a text, number or yes or
            no.
          </p>
        )}
      </Empty>
    );
  if (isHidden)
    return (
      <Empty icon={<Rows3 aria-hidden />} title="No record of yours">
        <p>What others have stored here is theirs alone.</p>
      </Empty>
    );
  return (
    <Empty icon={<Rows3 aria-hidden />} title="No record yet">
      <p>The page of this canvas writes the first one with:</p>
      <Code text={`await easel.kv.collection(${JSON.stringify(name)}).create({ title: "Tea" });`} />
    </Empty>
  );
}
