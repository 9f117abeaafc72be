import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { meQuery } from "../../api/queries.ts";
import { chooseTheme, currentTheme, type Theme } from "../../frame/theme.ts";
import { Button, ButtonAnchor } from "../../kit/Button.tsx";
import { Screen } from "../../kit/Screen.tsx";
import { type Choice, Select } from "../../kit/Select.tsx";

const SCHEMES: Choice<Theme>[] = [
  { value: "system", label: "Like the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

/** Who the caller is, how the dashboard looks to them, and the way out. */
export function AccountScreen() {
  const { data: me } = useSuspenseQuery(meQuery);
  const [theme, setTheme] = useState(currentTheme);
  const choose = (to: Theme) => {
    setTheme(to);
    chooseTheme(to);
  };
  return (
    <Screen title="Account">
      <div className="stack">
        <section className="card stack" aria-labelledby="who">
          <div>
            <h2 id="who">
              <bdi>{me.name}</bdi>
            </h2>
            <p className="soft">{me.email}</p>
          </div>
          <div className="row">
            <ButtonAnchor href="/tokens" target="_blank" rel="noopener">
              Access tokens
            </ButtonAnchor>
            {me.authMode === "proxy" ? null : (
              <>
                <ButtonAnchor href="/auth/login?anew=1">Sign in as someone else</ButtonAnchor>
                <form method="post" action="/auth/logout">
                  <Button type="submit">Sign out</Button>
                </form>
              </>
            )}
          </div>
        </section>
        <section className="card" aria-labelledby="looks">
          <h2 id="looks">Looks</h2>
          <Select label="Colours" choices={SCHEMES} value={theme} onChange={choose} />
        </section>
      </div>
    </Screen>
  );
}
