import "./health.css";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, RefreshCw } from "lucide-react";
import { type InstanceHealth, instanceHealthQuery } from "../../../api/instance.ts";
import { meQuery } from "../../../api/queries.ts";
import { Badge } from "../../../kit/Badge.tsx";
import { Button } from "../../../kit/Button.tsx";
import { bytesOf } from "../../../kit/bytes.ts";
import { Reading } from "../../../kit/Loading.tsx";
import { Meter } from "../../../kit/Meter.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { Time } from "../../../kit/Time.tsx";
import { countOf } from "../../../kit/words.ts";

const PARTS: Record<InstanceHealth["parts"][number]["name"], string> = {
  database: "Database",
  blobs: "Files and versions",
  bus: "Messages between nodes",
  signIn: "Sign-in",
  ai: "AI",
  connections: "Connections",
};

/** The age from which a backup is called old. */
const OLD_BACKUP_MS = 2 * 24 * 60 * 60 * 1000;

const number = new Intl.NumberFormat("en");

/** Whether the parts of the service answer, which nodes run, and what runs on them. */
export function HealthScreen() {
  const { data: me } = useSuspenseQuery(meQuery);
  const query = useQuery(instanceHealthQuery);
  const { data, isFetching, refetch } = query;
  return (
    <Screen
      title="Health"
      acts={
        <Button icon={<RefreshCw aria-hidden />} isPending={isFetching} onPress={() => void refetch()}>
          Ask again
        </Button>
      }
    >
      <div className="stack">
        {me.urlMode === "path" ? (
          <div className="note wait">
            <p>
              Canvases share this page's origin. Use <code>SERVICE_URL_MODE=subdomain</code> for pages that
              you do not trust.
            </p>
          </div>
        ) : null}
        <Reading query={query} what="the parts" rows={8} />
        {data === undefined ? null : <Health health={data} />}
      </div>
    </Screen>
  );
}

function Health({
  health: { parts, nodes, disk, version, migrations, lastSweepAt, lastBackupAt },
}: {
  health: InstanceHealth;
}) {
  const unwell = parts.filter(({ ok }) => !ok).length;
  const versions = new Set(nodes.map((node) => node.version));
  return (
    <>
      <section className="card stack" aria-labelledby="parts">
        <div className="row">
          <h2 id="parts">Parts</h2>
          <span role="status">
            {unwell === 0 ? (
              <Badge look="good">All answer</Badge>
            ) : (
              <Badge look="bad">{countOf(unwell, "part")} not well</Badge>
            )}
          </span>
        </div>
        <ul className="parts">
          {parts.map(({ name, ok, ms, detail }) => (
            <li key={name} className={ok ? "" : "unwell"}>
              {ok ? <CircleCheck aria-label="Well" /> : <CircleX aria-label="Not well" />}
              <strong>{PARTS[name]}</strong>
              <span className={ok ? "soft" : ""}>
                <bdi>{detail}</bdi>
              </span>
              <span className="soft small">{number.format(ms)} ms</span>
            </li>
          ))}
        </ul>
      </section>
      <section className="card stack" aria-labelledby="nodes">
        <div>
          <h2 id="nodes">Nodes</h2>
          {versions.size > 1 ? (
            <p className="small soft">They run different versions: finish the upgrade of all of them.</p>
          ) : null}
        </div>
        {nodes.length === 0 ? <p>The database that knows them does not answer.</p> : null}
        <ul className="nodes">
          {nodes.map((node) => (
            <li key={node.id}>
              <span className="row">
                <strong>
                  <bdi>{node.host}</bdi>
                </strong>
                {node.current ? <Badge look="plain">Answered this page</Badge> : null}
              </span>
              <span className="soft small">
                Version {node.version}, started <Time at={node.startedAt} />,{" "}
                {countOf(node.connections, "live connection")}
                {Math.abs(node.skewMs) < 1_000
                  ? ""
                  : `, its clock is ${number.format(Math.abs(node.skewMs))} ms ${node.skewMs > 0 ? "ahead" : "behind"}`}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <div className="cards">
        <section className="card stack-small" aria-labelledby="disk">
          <h2 id="disk">Disk of the data directory</h2>
          {disk === null ? (
            <p className="soft">It cannot be measured.</p>
          ) : (
            <Meter
              label="Used"
              amount={`${bytesOf(disk.total - disk.free)} of ${bytesOf(disk.total)}`}
              share={disk.total === 0 ? 0 : (disk.total - disk.free) / disk.total}
            />
          )}
        </section>
        <section className="card stack-small" aria-labelledby="release">
          <h2 id="release">Release</h2>
          <p>Version {version}</p>
          <p className="small soft">
            Schema of the database: <code>{migrations || "unknown"}</code>
          </p>
          <p className="small soft">
            Tidied up {lastSweepAt === null ? "never" : <Time at={lastSweepAt} />}. The hourly sweep removes
            what has expired.
          </p>
        </section>
        <section className="card stack-small" aria-labelledby="backup">
          <h2 id="backup">Backup</h2>
          <Backup at={lastBackupAt} />
        </section>
      </div>
    </>
  );
}

/** When the last backup was made, and a warning if it is old. */
const Backup = ({ at }: { at: number | null }) => (
  <>
    <p className="row">
      {at === null ? (
        "None so far"
      ) : (
        <span>
          The last one was made <Time at={at} />
        </span>
      )}
      {at !== null && Date.now() - at > OLD_BACKUP_MS ? <Badge look="wait">Older than two days</Badge> : null}
    </p>
    <p className="small soft">
      Only backups by <code>easel-server backup</code> count here, not those of the database or the disk.{" "}
      <a href="/docs/backups" target="_blank" rel="noopener">
        Documentation
      </a>
    </p>
  </>
);
