import "./settings.css";
import "../figures.css";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type ConfigSetting, instanceConfigQuery } from "../../../api/instance.ts";
import { Badge } from "../../../kit/Badge.tsx";
import { Button } from "../../../kit/Button.tsx";
import { Empty } from "../../../kit/Empty.tsx";
import { Reading } from "../../../kit/Loading.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { SearchField } from "../../../kit/SearchField.tsx";
import { ChangeSetting } from "./ChangeSetting.tsx";
import { nameOf } from "./names.ts";
import { SignOutEveryone } from "./SignOutEveryone.tsx";
import { wordsOf } from "./values.ts";

const isQuota = ({ key }: ConfigSetting) => key?.startsWith("quotas.") === true;

/** Every setting of the service: its value, where that comes from, and a change of those that administrators can change. */
export function SettingsScreen() {
  const { q = "" } = useSearch({ from: "/admin/settings" });
  const navigate = useNavigate();
  const query = useQuery(instanceConfigQuery);
  const { data: settings } = query;
  const [changing, setChanging] = useState<ConfigSetting | null>(null);
  const found = settings?.filter((setting) => !isQuota(setting) && contains(setting, q.toLowerCase()));
  const groups: [id: string, title: string, settings: ConfigSetting[]][] = [
    ["changeable", "You can change these here", found?.filter(({ changeable }) => changeable) ?? []],
    [
      "environment",
      "Set by the operator of the service",
      found?.filter(({ changeable, source }) => !changeable && source === "environment") ?? [],
    ],
    [
      "defaults",
      "At their defaults",
      found?.filter(({ changeable, source }) => !changeable && source === "default") ?? [],
    ],
  ];
  return (
    <Screen title="Settings" acts={<SignOutEveryone />}>
      <div className="stack">
        <div className="row">
          <SearchField
            label="Search settings"
            value={q}
            onChange={(to) =>
              void navigate({
                to: "/admin/settings",
                search: to === "" ? {} : { q: to },
                replace: true,
                resetScroll: false,
              })
            }
          />
        </div>
        <p className="soft">
          Settings with a name in capitals are variables of the environment and need a restart. Quotas are on
          a <Link to="/admin/quotas">screen of their own</Link>.
        </p>
        <Reading query={query} what="the settings" rows={10} />
        {found?.length === 0 ? (
          <Empty title="No setting contains this text">
            <p>Names, meanings and values are searched.</p>
          </Empty>
        ) : null}
        {groups.map(([id, title, listed]) =>
          listed.length === 0 ? null : (
            <section key={id} className="card stack-small" aria-labelledby={id}>
              <h2 id={id}>{title}</h2>
              <ul className="settings">
                {listed.map((setting) => (
                  <SettingLine key={setting.name} setting={setting} onChange={() => setChanging(setting)} />
                ))}
              </ul>
            </section>
          ),
        )}
      </div>
      {changing === null ? null : <ChangeSetting setting={changing} onClose={() => setChanging(null)} />}
    </Screen>
  );
}

const contains = ({ name, value, meaning, key }: ConfigSetting, text: string): boolean =>
  [name, value, meaning, key === null ? "" : nameOf(key).label].some((each) =>
    each.toLowerCase().includes(text),
  );

/** Text in which names stand in backticks. */
const Marked = ({ text }: { text: string }) => (
  <>
    {text.split("`").map((part, index) =>
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
      index % 2 === 1 ? <code key={index}>{part}</code> : part,
    )}
  </>
);

function SettingLine({ setting, onChange }: { setting: ConfigSetting; onChange: () => void }) {
  const { name, value, source, changeable, key, meaning, fallback } = setting;
  const named = key === null ? null : nameOf(key);
  const words = wordsOf(named?.kind ?? null, value);
  return (
    <li>
      <div>
        {named === null ? (
          <strong>
            <code>{name}</code>
          </strong>
        ) : (
          <strong>{named.label}</strong>
        )}
        <p className="small soft">
          {named === null ? <Marked text={meaning} /> : named.about}{" "}
          {named === null ? null : <code>{name}</code>}
        </p>
      </div>
      <div className="setting-value">
        <bdi>{words === "" ? <span className="soft">Not set</span> : words}</bdi>
        <span className="small soft">
          {source === "instance" ? (
            <Badge look="good">Set here</Badge>
          ) : source === "environment" ? (
            <Badge look="plain">Environment</Badge>
          ) : value === "" && fallback !== "" ? (
            <>
              Default: <Marked text={fallback} />
            </>
          ) : (
            "Default"
          )}
        </span>
      </div>
      {changeable ? (
        <Button onPress={onChange} aria-label={`Change: ${named?.label ?? name}`}>
          Change
        </Button>
      ) : null}
    </li>
  );
}
