import "./quotas.css";
import "../figures.css";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type ConfigSetting, instanceConfigQuery, quotaPeopleQuery } from "../../../api/instance.ts";
import { Badge } from "../../../kit/Badge.tsx";
import { Button } from "../../../kit/Button.tsx";
import { Reading } from "../../../kit/Loading.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { ChangeSetting } from "../settings/ChangeSetting.tsx";
import { NAMED_KEYS, nameOf } from "../settings/names.ts";
import { wordsOf } from "../settings/values.ts";

const placeOf = ({ key }: ConfigSetting): number => {
  const place = NAMED_KEYS.indexOf(key ?? "");
  return place === -1 ? NAMED_KEYS.length : place;
};

/** The quotas: their defaults, those of the instance, and the people who have others. */
export function QuotasScreen() {
  const query = useQuery(instanceConfigQuery);
  const { data: settings } = query;
  const [changing, setChanging] = useState<ConfigSetting | null>(null);
  const quotas = settings
    ?.filter(({ key }) => key?.startsWith("quotas."))
    .toSorted((a, b) => placeOf(a) - placeOf(b));
  return (
    <Screen title="Quotas">
      <div className="stack">
        <section className="card stack-small" aria-labelledby="everyone">
          <h2 id="everyone">For everyone</h2>
          <p className="small soft">
            A quota counts at the next write. Data that exceeds a lower one stays, and nothing is deleted.
          </p>
          <Reading query={query} what="the quotas" rows={8} />
          {quotas === undefined ? null : (
            <table className="quotas">
              <thead>
                <tr>
                  <th scope="col">Quota</th>
                  <th scope="col">Default</th>
                  <th scope="col">In effect</th>
                  <th scope="col">
                    <span className="hidden-text">Change</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {quotas.map((quota) => (
                  <QuotaLine key={quota.key} quota={quota} onChange={() => setChanging(quota)} />
                ))}
              </tbody>
            </table>
          )}
        </section>
        <PeopleWith
          show="quotasOwn"
          title="People with quotas of their own"
          none="Nobody has quotas of their own. They are set on the screen of a person."
        />
        <PeopleWith
          show="quotasNear"
          title="People above 90 % of a quota"
          none="Nobody uses more than 90 % of a quota."
        />
      </div>
      {changing === null ? null : <ChangeSetting setting={changing} onClose={() => setChanging(null)} />}
    </Screen>
  );
}

function QuotaLine({ quota, onChange }: { quota: ConfigSetting; onChange: () => void }) {
  const { label, about, kind } = nameOf(quota.key ?? "");
  return (
    <tr>
      <th scope="row">
        {label}
        {about === "" ? null : <span className="small soft">{about}</span>}
      </th>
      <td data-head="Default">{wordsOf(kind, quota.fallback)}</td>
      <td data-head="In effect">
        <span className="row">
          <strong>{wordsOf(kind, quota.value)}</strong>
          {quota.source === "instance" ? <Badge look="good">Set here</Badge> : null}
          {quota.source === "environment" ? <Badge look="plain">Environment</Badge> : null}
        </span>
      </td>
      <td>
        <Button onPress={onChange} aria-label={`Change: ${label}`}>
          Change
        </Button>
      </td>
    </tr>
  );
}

function PeopleWith({
  show,
  title,
  none,
}: {
  show: "quotasOwn" | "quotasNear";
  title: string;
  none: string;
}) {
  const query = useInfiniteQuery(quotaPeopleQuery(show));
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const people = data?.pages.flatMap(({ users }) => users);
  return (
    <section className="card stack-small" aria-labelledby={show}>
      <h2 id={show}>{title}</h2>
      <Reading query={query} what="people" rows={2} />
      {people?.length === 0 ? <p className="soft">{none}</p> : null}
      <ul className="quota-people">
        {people?.map(({ id, name, email, quotas }) => (
          <li key={id}>
            <Link to="/admin/people/$userId" params={{ userId: id }}>
              <bdi>{name}</bdi>
            </Link>
            <span className="small soft">
              <bdi>{email}</bdi>
            </span>
            <span className="small">
              {Object.entries(quotas)
                .filter((entry): entry is [string, number] => entry[1] !== null)
                .map(([quota, value]) => {
                  const { label, kind } = nameOf(`quotas.${quota}`);
                  return `${label}: ${wordsOf(kind, String(value))}`;
                })
                .join(" · ")}
            </span>
          </li>
        ))}
      </ul>
      {hasNextPage ? (
        <div>
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            Show more people
          </Button>
        </div>
      ) : null}
    </section>
  );
}
