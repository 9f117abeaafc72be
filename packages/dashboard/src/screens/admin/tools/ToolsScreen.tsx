import "../../../tools/tools.css";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { useState } from "react";
import { adminChanged, endProgram, toolsInUseQuery } from "../../../api/admin.ts";
import { instanceConfigQuery } from "../../../api/instance.ts";
import type { ToolsInUse } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { Empty } from "../../../kit/Empty.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { Facts } from "../../../kit/Facts.tsx";
import { focusContent } from "../../../kit/focus.ts";
import { Reading } from "../../../kit/Loading.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { Time } from "../../../kit/Time.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";
import { Vouched } from "../../../tools/ToolList.tsx";
import { allowedOf } from "../../../tools/words.ts";

type Program = ToolsInUse["clients"][number];

/** The AI tools that people have connected, by program, the end of each, and which programs may ask people at all. */
export function ToolsScreen() {
  const query = useInfiniteQuery(toolsInUseQuery);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const [ending, setEnding] = useState<Program | null>(null);
  const programs = data?.pages
    .flatMap(({ clients }) => clients)
    .toSorted((a, b) => b.people - a.people || a.name.localeCompare(b.name));
  const tokens = data?.pages[0]?.tokens;
  return (
    <Screen title="AI tools">
      <div className="stack">
        <Reading query={query} what="the tools in use" rows={4} />
        {programs?.length === 0 && tokens?.tools === 0 ? (
          <Empty icon={<Bot aria-hidden />} title="Nobody has connected a tool">
            <p>
              People connect AI tools such as Claude Code, which then make and change canvases for them. Here
              you see which are in use, and end them.
            </p>
          </Empty>
        ) : null}
        {programs === undefined || tokens === undefined || programs.length + tokens.tools === 0 ? null : (
          <section className="card stack" aria-labelledby="in-use">
            <h2 id="in-use">In use</h2>
            <ul className="tools">
              {programs.map((program) => (
                <ProgramLine key={program.id} program={program} onEnd={() => setEnding(program)} />
              ))}
              {tokens.tools === 0 ? null : <TokensLine tokens={tokens} />}
            </ul>
            {hasNextPage ? (
              <div>
                <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
                  More
                </Button>
              </div>
            ) : null}
          </section>
        )}
        <Allowed />
      </div>
      {ending === null ? null : (
        <ConfirmDialog
          title="End it for everyone?"
          act="End for everyone"
          isDanger
          isOpen
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            const { ended } = await endProgram(ending.id);
            focusContent();
            toast({ text: `Ended ${countOf(ended, "connected tool")} of ${ending.name}.` });
            await adminChanged();
          }}
        >
          <p>
            <bdi>{ending.name}</bdi> is refused from its next call on, for{" "}
            {countOf(ending.people, "person", "people")}. What it has made stays.
          </p>
          <p>
            People can connect it again. To keep it out, the operator of the service lists the programs that
            may ask in <code>SERVICE_OAUTH_CLIENTS</code>.
          </p>
        </ConfirmDialog>
      )}
    </Screen>
  );
}

/** How many people use something, and when it was used last. */
const Use = ({ people, tools, usedAt }: Pick<Program, "people" | "tools" | "usedAt">) => (
  <small className="soft">
    {countOf(people, "person", "people")}
    {tools > people ? `, ${countOf(tools, "connection")}` : ""},{" "}
    {usedAt === null ? (
      "never used"
    ) : (
      <>
        last used <Time at={usedAt} />
      </>
    )}
  </small>
);

const ProgramLine = ({ program, onEnd }: { program: Program; onEnd: () => void }) => (
  <li>
    <div className="tool">
      <span className="tool-name">
        <strong>
          <bdi>{program.name}</bdi>
        </strong>
        <Vouched verified={program.verified} />
      </span>
      {program.host === null ? null : (
        <span className="soft">
          Described at <bdi>{program.host}</bdi>
        </span>
      )}
      <Use {...program} />
      <small>
        <Link to="/admin/audit" search={{ client: program.name }}>
          What it has changed<span className="hidden-text">: {program.name}</span>
        </Link>
      </small>
    </div>
    <Button onPress={onEnd} aria-label={`End ${program.name} for everyone`}>
      End…
    </Button>
  </li>
);

const TokensLine = ({ tokens }: { tokens: ToolsInUse["tokens"] }) => (
  <li>
    <div className="tool">
      <strong>Access tokens for AI tools</strong>
      <span className="soft">
        Created by people for tools that cannot ask. Their screens list and end them.
      </span>
      <Use {...tokens} />
    </div>
  </li>
);

/** The settings that decide which programs may ask people for access. */
function Allowed() {
  const { data: settings, error } = useQuery(instanceConfigQuery);
  const settingOf = (name: string) => settings?.find((each) => each.name === name)?.value;
  const registers = settingOf("SERVICE_OAUTH_REGISTRATION");
  const allowed = settingOf("SERVICE_OAUTH_CLIENTS");
  return (
    <section className="card stack" aria-labelledby="allowed">
      <h2 id="allowed">Which tools may ask</h2>
      {error === null ? null : <ErrorNote error={error} />}
      {settings === undefined ? null : (
        <Facts>
          <dt>Described on the web</dt>
          <dd className="allowed">{allowedOf(allowed ?? "")}</dd>
          <dt>Registering themselves</dt>
          <dd>
            {registers === "off"
              ? "Off: only tools that are described or configured can connect"
              : "On: their names are not verified"}
          </dd>
        </Facts>
      )}
      <p className="small soft">
        The operator of the service changes this:{" "}
        <Link to="/admin/settings" search={{ q: "SERVICE_OAUTH" }}>
          both settings
        </Link>
        .{" "}
        <a href="/docs/agents#for-people-who-run-the-service" target="_blank" rel="noopener">
          Documentation
        </a>
      </p>
    </section>
  );
}
