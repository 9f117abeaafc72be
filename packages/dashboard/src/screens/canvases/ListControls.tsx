import { LayoutGrid, Rows3 } from "lucide-react";
import { type ListSearch, SORTS, STATES } from "../../canvas/list-search.ts";
import { Button } from "../../kit/Button.tsx";
import { ListSearchField } from "../../kit/ListSearchField.tsx";
import { NativeSelect } from "../../kit/NativeSelect.tsx";
import type { Choice } from "../../kit/Select.tsx";
import type { View } from "./layout.ts";

const STATE_WORDS: Record<(typeof STATES)[number], string> = {
  published: "Online",
  draft: "Not online yet",
  unpublished: "Taken offline",
  archived: "Archived",
  expired: "Expired",
  disabled: "Disabled",
};

const SORT_WORDS: Record<(typeof SORTS)[number], string> = {
  updated: "Last changed",
  used: "Last used",
  created: "Newest",
  title: "Title",
};

/** The value of a filter that lets everything pass. No tag is empty. */
const ANY = "";

const STATE_CHOICES: Choice<(typeof STATES)[number] | typeof ANY>[] = [
  { value: ANY, label: "Any state" },
  ...STATES.map((value) => ({ value, label: STATE_WORDS[value] })),
];

const SORT_CHOICES = SORTS.map((value) => ({ value, label: SORT_WORDS[value] }));

/** The search, filters, order and look of a list. `tags` are those that can be chosen. */
export function ListControls({
  search,
  onChange,
  tags,
  view,
  onView,
}: {
  search: ListSearch;
  onChange: (to: ListSearch) => void;
  tags: readonly string[];
  view: View;
  onView: (view: View) => void;
}) {
  const { list, state = ANY, tag = ANY, sort = "updated" } = search;
  return (
    <div className="list-tools">
      <ListSearchField
        key={list}
        label="Search titles and addresses"
        text={search.q ?? ""}
        onChange={(q) => onChange({ q })}
      />
      {list === "trash" ? null : (
        <NativeSelect
          hideLabel
          label="State"
          choices={STATE_CHOICES}
          value={state}
          onChange={(to) => onChange({ state: to === ANY ? undefined : to })}
        />
      )}
      {tags.length === 0 ? null : (
        <NativeSelect
          hideLabel
          label="Tag"
          choices={[{ value: ANY, label: "Any tag" }, ...tags.map((value) => ({ value, label: value }))]}
          value={tag}
          onChange={(to) => onChange({ tag: to === ANY ? undefined : to })}
        />
      )}
      <NativeSelect
        hideLabel
        label="Order"
        choices={SORT_CHOICES}
        value={sort}
        onChange={(to) => onChange({ sort: to })}
      />
      <Button
        look="quiet"
        icon={view === "list" ? <LayoutGrid aria-hidden /> : <Rows3 aria-hidden />}
        aria-label={view === "list" ? "Show as cards" : "Show as a list"}
        onPress={() => onView(view === "list" ? "cards" : "list")}
      />
    </div>
  );
}
