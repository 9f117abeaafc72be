import "./teams.css";
import { useInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, SearchX, Users } from "lucide-react";
import { useEffect, useState } from "react";
import { meQuery } from "../../api/queries.ts";
import type { Team } from "../../api/types.ts";
import { Button } from "../../kit/Button.tsx";
import { Empty } from "../../kit/Empty.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { Mark } from "../../kit/Mark.tsx";
import { Screen } from "../../kit/Screen.tsx";
import { SearchField } from "../../kit/SearchField.tsx";
import { useSettled } from "../../kit/useSettled.ts";
import { countOf } from "../../kit/words.ts";
import { NewTeam } from "./NewTeam.tsx";
import { teamsQuery } from "./team-queries.ts";

/** The number of teams above which they can be searched. */
const SEARCHED = 10;

/** The teams that the caller made or is in. */
export function TeamsScreen() {
  const { q } = useSearch({ from: "/teams" });
  const navigate = useNavigate();
  const { data: me } = useSuspenseQuery(meQuery);
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(teamsQuery({ q }));
  const [isMaking, setMaking] = useState(false);
  const [text, setText] = useState(q ?? "");
  const settled = useSettled(text.trim());
  useEffect(() => {
    if (settled !== (q ?? ""))
      void navigate({ to: "/teams", search: { q: settled === "" ? undefined : settled }, replace: true });
  }, [settled, q, navigate]);

  const teams = data?.pages.flatMap(({ teams }) => teams) ?? [];
  const make = (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => setMaking(true)}>
      New team
    </Button>
  );
  const isEmpty = data !== undefined && teams.length === 0;
  return (
    <Screen title="Teams" acts={isEmpty && q === undefined ? undefined : make}>
      {q !== undefined || text !== "" || teams.length > SEARCHED ? (
        <div className="teams-search">
          <SearchField label="Search your teams" value={text} onChange={setText} maxLength={200} />
        </div>
      ) : null}
      {error === null ? null : (
        <ErrorNote error={error}>
          <div>
            <Button onPress={() => void (data === undefined ? refetch() : fetchNextPage())}>Try again</Button>
          </div>
        </ErrorNote>
      )}
      {isPending && error === null ? <Loading what="your teams" rows={3} /> : null}
      {isEmpty && q !== undefined ? (
        <Empty
          icon={<SearchX aria-hidden />}
          title="No such team"
          acts={<Button onPress={() => setText("")}>Clear the search</Button>}
        >
          <p>
            No name of your teams contains “<bdi>{q}</bdi>”.
          </p>
        </Empty>
      ) : null}
      {isEmpty && q === undefined ? (
        <Empty icon={<Users aria-hidden />} title="Share with many at once" acts={make}>
          <p>
            A team is a list of people under one name. Share a canvas with it, and its members get in: those
            of today, and those you add later.
          </p>
        </Empty>
      ) : null}
      {teams.length === 0 ? null : (
        <ul className="team-list card" aria-label="Your teams">
          {teams.map((team) => (
            <TeamRow key={team.id} team={team} myId={me.id} />
          ))}
        </ul>
      )}
      {hasNextPage ? (
        <div className="teams-more">
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            Show more teams
          </Button>
        </div>
      ) : null}
      <NewTeam me={me} isOpen={isMaking} onClose={() => setMaking(false)} />
    </Screen>
  );
}

const TeamRow = ({ team: { id, name, members, createdBy }, myId }: { team: Team; myId: string }) => (
  <li className="person-row">
    <Mark id={id} title={name} />
    <span className="names">
      <Link to="/teams/$id" params={{ id }} className="title">
        <bdi>{name}</bdi>
      </Link>
      <small className="soft">
        {countOf(members.length, "member")}
        {createdBy === myId ? " · made by you" : ""}
      </small>
    </span>
  </li>
);
