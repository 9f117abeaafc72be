import { type Archive, Building2, FilterX, SearchX, Shapes, Trash2, Users } from "lucide-react";
import type { ListName, ListSearch } from "../../canvas/list-search.ts";
import { Button, ButtonLink } from "../../kit/Button.tsx";
import { Copy } from "../../kit/Copy.tsx";
import { Empty } from "../../kit/Empty.tsx";

/** Why a list is empty, and what to do. `onChange` changes what the list is filtered by. */
export function NoCanvases({
  search: { list = "mine", q, state, tag },
  onChange,
}: {
  search: ListSearch;
  onChange: (to: ListSearch) => void;
}) {
  if (q !== undefined)
    return (
      <Empty
        icon={<SearchX aria-hidden />}
        title="Nothing found"
        acts={<Button onPress={() => onChange({ q: undefined })}>Clear the search</Button>}
      >
        <p>
          No title and no address here contains “<bdi>{q}</bdi>”
          {state === undefined && tag === undefined ? "." : " among those that the filters leave."}
        </p>
      </Empty>
    );
  if (state !== undefined || tag !== undefined)
    return (
      <Empty
        icon={<FilterX aria-hidden />}
        title="No canvas passes the filters"
        acts={
          <Button onPress={() => onChange({ state: undefined, tag: undefined })}>Clear the filters</Button>
        }
      />
    );
  return list === "mine" ? <First /> : <Other list={list} />;
}

function First() {
  const guide = `read ${location.origin}/skill.md`;
  return (
    <div className="first">
      <Empty
        icon={<Shapes aria-hidden />}
        title="Make your first canvas"
        acts={
          <ButtonLink look="primary" to="/new">
            Choose files
          </ButtonLink>
        }
      >
        <p>
          A canvas is a folder with an index.html. Drop one here; only you can open it until you share it.
        </p>
      </Empty>
      <p className="small soft assistant">
        Or tell your assistant: <code>{guide}</code> <Copy text={guide} what="text for your assistant" />
      </p>
    </div>
  );
}

const OTHERS = {
  shared: {
    Icon: Users,
    title: "Nothing is shared with you",
    text: "When somebody shares a canvas with you or one of your teams, it is here.",
  },
  organisation: {
    Icon: Building2,
    title: "Nothing is listed yet",
    text: "Canvases that their owners list for your whole organisation are here.",
  },
  trash: {
    Icon: Trash2,
    title: "The trash is empty",
    text: "What you delete stays here for 30 days and can be restored.",
  },
} satisfies Record<Exclude<ListName, "mine">, { Icon: typeof Archive; title: string; text: string }>;

function Other({ list }: { list: Exclude<ListName, "mine"> }) {
  const { Icon, title, text } = OTHERS[list];
  return (
    <Empty icon={<Icon aria-hidden />} title={title}>
      <p>{text}</p>
    </Empty>
  );
}
