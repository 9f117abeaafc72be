import { CAPABILITIES, type Switch } from "@easel/protocol/capabilities";
import type { Audience } from "@easel/protocol/policy";
import { useState } from "react";
import { changeCapabilities } from "../../api/canvas-acts.ts";
import type { Canvas } from "../../api/types.ts";
import { toastWithUndo, useCanvasChange } from "../../canvas/changes.ts";
import { Badge } from "../../kit/Badge.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Select } from "../../kit/Select.tsx";
import { Toggle } from "../../kit/Toggle.tsx";

type Capabilities = Canvas["capabilities"];
type Patch = Partial<Capabilities>;
type AudienceField = "aiAudience" | "connectionsAudience" | "authoringAudience";

/** The switches in words. `missing` completes "… is on here, but". */
const SWITCHES: readonly {
  name: Switch;
  label: string;
  description: string;
  missing?: string;
  audience?: AudienceField;
}[] = [
  {
    name: "kv",
    label: "Keys and records",
    description: "Keys, collections and submissions, kept for the page.",
  },
  { name: "files", label: "Files", description: "Uploads of the people who use the page." },
  {
    name: "realtime",
    label: "Live messages",
    description: "Who is there, and what changes, at once.",
    missing: "realtime is switched off on this instance",
  },
  {
    name: "ai",
    label: "AI",
    description: "A language model, paid by this instance.",
    missing: "this instance has no provider key",
    audience: "aiAudience",
  },
  {
    name: "authoring",
    label: "Making canvases",
    description: "The page publishes further canvases for the people who use it.",
    missing: "it is switched off on this instance",
    audience: "authoringAudience",
  },
];

const AUDIENCES: readonly { value: Audience; label: string }[] = [
  { value: "editors", label: "Owner and editors" },
  { value: "viewers", label: "Everyone who may open it" },
];

/** The switches of the backend, each with whether it works and why not. A change counts at once. */
export function Switches({ canvas }: { canvas: Canvas }) {
  const { id, capabilities, capabilitiesOff } = canvas;
  const { mutate, variables, isPending, error } = useCanvasChange(id, async (patch: Patch) => {
    const before = Object.fromEntries(
      (Object.keys(patch) as (keyof Capabilities)[]).map((name) => [name, capabilities[name]]),
    );
    await changeCapabilities(id, patch);
    toastWithUndo(id, saidOf(patch), () => changeCapabilities(id, before));
  });
  const [failed, setFailed] = useState<keyof Capabilities | null>(null);
  // What is being saved is shown as it will be.
  const now: Capabilities = isPending ? { ...capabilities, ...variables } : capabilities;
  const set = (patch: Patch) => {
    setFailed(Object.keys(patch)[0] as keyof Capabilities);
    mutate(patch);
  };
  const failure = (...names: (keyof Capabilities)[]) =>
    error !== null && failed !== null && names.includes(failed) ? <ErrorNote error={error} /> : null;
  const audience = (field: AudienceField, label: string) => (
    <Select label={label} choices={AUDIENCES} value={now[field]} onChange={(to) => set({ [field]: to })} />
  );

  return (
    <section className="card stack" aria-labelledby="switches">
      <div className="switch-row">
        <h2 id="switches">
          <Toggle
            isSelected={now.backendEnabled}
            onChange={(backendEnabled) => set({ backendEnabled })}
            description={
              now.backendEnabled
                ? "The page stores data and knows who its viewer is."
                : "The page shows its files and stores nothing. What was stored is kept."
            }
          >
            Backend
          </Toggle>
        </h2>
        <Badge look={now.backendEnabled ? "good" : "plain"}>{now.backendEnabled ? "On" : "Off"}</Badge>
      </div>
      {failure("backendEnabled")}
      <ul className="switches" aria-label="Parts of the backend">
        {SWITCHES.map(({ name, label, description, missing, audience: field }) => {
          const isOn = now[name];
          const lacks = capabilitiesOff[name] === "operator_disabled" && isOn && now.backendEnabled;
          const works = isOn && now.backendEnabled && !lacks;
          return (
            <li key={name}>
              <div className="switch-row">
                <Toggle isSelected={isOn} onChange={(to) => set({ [name]: to })} description={description}>
                  {label}
                </Toggle>
                <Badge look={works ? "good" : lacks ? "wait" : "plain"}>
                  {works ? "Works" : lacks ? "Does not work" : isOn ? "Off with the backend" : "Off"}
                </Badge>
              </div>
              {lacks && missing !== undefined ? (
                <div className="note wait small">
                  <p>
                    {label} is on here, but {missing}. Its operator sets{" "}
                    <code>{CAPABILITIES[name].operatorRemedy}</code>.
                  </p>
                </div>
              ) : null}
              {field !== undefined && isOn
                ? audience(field, `Who uses ${name === "ai" ? "AI" : "it"}`)
                : null}
              {name === "ai" && isOn && now.aiAudience === "viewers" ? (
                <Toggle
                  isSelected={now.guestAi}
                  isDisabled={canvas.viewerRole !== "owner"}
                  onChange={(guestAi) => set({ guestAi })}
                  description={
                    canvas.viewerRole === "owner"
                      ? "People invited by link, too."
                      : "Only the owner changes this."
                  }
                >
                  Guests use AI, too
                </Toggle>
              ) : null}
              {failure(
                name,
                ...(field === undefined ? [] : [field]),
                ...(name === "ai" ? (["guestAi"] as const) : []),
              )}
            </li>
          );
        })}
        <li>
          <div className="switch-row">
            <div>
              <span>External APIs</span>
              <span className="description">
                Connections that an administrator has granted; they have no switch of their own.
              </span>
            </div>
            <Badge look={now.backendEnabled ? "good" : "plain"}>
              {now.backendEnabled ? "Works" : "Off with the backend"}
            </Badge>
          </div>
          {audience("connectionsAudience", "Who sends requests, unless the policy says it")}
          {failure("connectionsAudience")}
        </li>
      </ul>
    </section>
  );
}

/** What has been done, for the message with Undo. */
function saidOf(patch: Patch): string {
  const [name, value] = Object.entries(patch)[0] ?? [];
  const known = SWITCHES.find((each) => each.name === name);
  if (name === "backendEnabled") return value === true ? "The backend is on." : "The backend is off.";
  if (name === "guestAi") return value === true ? "Guests use AI, too." : "Guests do not use AI any more.";
  if (known === undefined) return "Saved.";
  return `${known.label}: ${value === true ? "on" : "off"}.`;
}
