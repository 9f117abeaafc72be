import "./account.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { meQuery } from "../../api/queries.ts";
import { readPreference, storePreference } from "../../frame/preferences.ts";
import {
  chooseMotion,
  chooseTheme,
  currentMotion,
  currentTheme,
  type Motion,
  type Theme,
} from "../../frame/theme.ts";
import { Button, ButtonAnchor, ButtonLink } from "../../kit/Button.tsx";
import { Screen } from "../../kit/Screen.tsx";
import { type Choice, Select } from "../../kit/Select.tsx";
import { Toggle } from "../../kit/Toggle.tsx";
import { ConnectedTools } from "./ConnectedTools.tsx";
import { Mails } from "./Mails.tsx";
import { Sessions } from "./Sessions.tsx";
import { UsageCard } from "./UsageCard.tsx";

const KeyList = lazy(async () => ({ default: (await import("../../frame/KeyList.tsx")).KeyList }));

const SCHEMES: Choice<Theme>[] = [
  { value: "system", label: "Like the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

/** Who the caller is, where they are signed in, what is theirs, how the dashboard looks to them, and the way out. */
export function AccountScreen() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <Screen title="Account">
      <div className="stack">
        <section className="card stack" aria-labelledby="who">
          <div>
            <h2 id="who">
              <bdi>{me.name}</bdi>
            </h2>
            <p className="soft">{me.email}</p>
            {me.orgs.length === 0 ? null : (
              <p className="soft">
                <bdi>{me.orgs.map(({ name }) => name).join(", ")}</bdi>
              </p>
            )}
          </div>
          {me.authMode === "proxy" ? null : (
            <div className="row">
              <form method="post" action="/auth/logout">
                <Button type="submit">Sign out</Button>
              </form>
              <ButtonAnchor look="quiet" href="/auth/login?anew=1">
                Sign in as someone else
              </ButtonAnchor>
            </div>
          )}
        </section>
        <UsageCard />
        <Sessions />
        <ConnectedTools />
        <Mails />
        <section className="card stack" aria-labelledby="yours">
          <h2 id="yours">Yours</h2>
          <p className="soft">
            Programs such as the command line act for you with access tokens. What you delete stays in the
            trash for 30 days.
          </p>
          <div className="row">
            <ButtonAnchor href="/tokens" target="_blank" rel="noopener">
              Access tokens
            </ButtonAnchor>
            <ButtonLink to="/" search={{ list: "trash" }}>
              Trash
            </ButtonLink>
            <ButtonAnchor href="/api/me/export" download>
              Export my data
            </ButtonAnchor>
          </div>
        </section>
        <Looks />
      </div>
    </Screen>
  );
}

function Looks() {
  const [theme, setTheme] = useState(currentTheme);
  const choose = (to: Theme) => {
    setTheme(to);
    chooseTheme(to);
  };
  const [motion, setMotion] = useState(currentMotion);
  const chooseMoving = (isLess: boolean) => {
    const to: Motion = isLess ? "less" : "system";
    setMotion(to);
    chooseMotion(to);
  };
  const [isListing, setListing] = useState(false);
  const [keys, setKeys] = useState(() => readPreference("keys", ["on", "off"]));
  const chooseKeys = (on: boolean) => {
    const to = on ? "on" : "off";
    setKeys(to);
    storePreference("keys", to);
  };
  return (
    <section className="card stack" aria-labelledby="looks">
      <h2 id="looks">Looks and keys</h2>
      <Select label="Colours" choices={SCHEMES} value={theme} onChange={choose} />
      <Toggle
        isSelected={keys === "on"}
        onChange={chooseKeys}
        description="Such as / to search and ? for the list of keys. Turn them off if they get in the way of your software for speech."
      >
        Single keys
      </Toggle>
      <Toggle
        isSelected={motion === "less"}
        onChange={chooseMoving}
        description="Also where your system allows motion. Nothing slides, fades or flashes then."
      >
        Less motion
      </Toggle>
      <div>
        <Button onPress={() => setListing(true)}>List of keys</Button>
      </div>
      {isListing ? (
        <Suspense>
          <KeyList onClose={() => setListing(false)} />
        </Suspense>
      ) : null}
    </section>
  );
}
