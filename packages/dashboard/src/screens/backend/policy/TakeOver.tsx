import type { RuntimePolicy } from "@easel/protocol/policy";
import { capabilitiesOff, changesFor, switchesOn } from "@easel/server/easel-json-changes";
import { useState } from "react";
import { ApiError } from "../../../api/api-error.ts";
import { changeCapabilities } from "../../../api/canvas-acts.ts";
import { send } from "../../../api/client.ts";
import { canvasChanged } from "../../../api/queries.ts";
import type { Canvas } from "../../../api/types.ts";
import { fileAddress } from "../../../canvas/address.ts";
import { Button } from "../../../kit/Button.tsx";
import { Dialog } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { listOf } from "../../../kit/words.ts";
import { Version } from "./Conflicts.tsx";
import { changesBetween, entryIn } from "./document.ts";
import type { PolicyEditor } from "./usePolicy.ts";

/** What the `easel.json` of the live version would change. */
interface Offer {
  policy: RuntimePolicy;
  /** Switches and audiences, which are changed at once. */
  settings: Partial<Canvas["capabilities"]>;
  /** Whether the file has a setting that only the owner changes, and the caller is an editor. */
  leavesGuestAi: boolean;
}

/** Reads the `easel.json` of the live version. Throws an error with a sentence if there is none, or it has faults. */
async function readOffer(canvas: Canvas, policy: RuntimePolicy): Promise<Offer> {
  if (canvas.version === null) throw new Error("The canvas has no live version yet.");
  let text: string;
  try {
    text = await (await send(fileAddress(canvas.id, canvas.version, "easel.json"))).text();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      throw new Error("The live version has no easel.json.");
    throw error;
  }
  const { easelJson, faultsOf } = await import("../../../deploy/easel-json.ts");
  const faults = faultsOf(text);
  if (faults.length > 0)
    throw new Error(`The easel.json of the live version has faults: ${faults.join("; ")}.`);
  const file = easelJson.parse(JSON.parse(text));
  // Compared with what is on the screen, not with what is saved.
  const {
    policy: change,
    audiences,
    ownerOnly,
  } = changesFor(file, { ...canvas, runtimePolicy: policy as Canvas["runtimePolicy"] }, false);
  const off = capabilitiesOff(canvas, file.capabilities);
  const wanted: Offer["settings"] = { ...(off.length > 0 && switchesOn(off)), ...audiences };
  const settings = Object.entries(wanted).filter(
    ([name, value]) => canvas.capabilities[name as keyof typeof wanted] !== value,
  );
  return {
    policy: (change?.runtimePolicy as RuntimePolicy | undefined) ?? policy,
    settings: Object.fromEntries(settings),
    leavesGuestAi: ownerOnly.length > 0,
  };
}

const SETTING_NAMES: Readonly<Record<string, string>> = {
  backendEnabled: "the backend",
  kv: "keys and records",
  files: "files",
  ai: "AI",
  realtime: "live messages",
  authoring: "making canvases",
};

const AUDIENCE_NAMES: Readonly<Record<string, string>> = {
  aiAudience: "AI",
  connectionsAudience: "Connections",
  authoringAudience: "making canvases",
};

/** Shows how the `easel.json` of the live version differs, and takes it over. */
export function TakeOver({ canvas, editor }: { canvas: Canvas; editor: PolicyEditor }) {
  const [offer, setOffer] = useState<Offer | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);
  const { shown, policy } = editor;

  const open = async () => {
    setOpen(true);
    setOffer(null);
    setError(null);
    try {
      setOffer(await readOffer(canvas, shown));
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const take = async ({ policy, settings }: Offer) => {
    setPending(true);
    setError(null);
    try {
      if (Object.keys(settings).length > 0) {
        await changeCapabilities(canvas.id, settings);
        await canvasChanged(canvas.id);
      }
      editor.change(policy);
      setOpen(false);
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setPending(false);
    }
  };
  const changes = offer === null ? [] : changesBetween(shown, offer.policy);
  const settings = Object.entries(offer?.settings ?? {});
  const isSame =
    offer !== null &&
    changes.length === 0 &&
    settings.length === 0 &&
    offer.policy.defaultMode === shown.defaultMode;
  return (
    <>
      <Button isDisabled={policy === null} onPress={() => void open()}>
        Take over from easel.json
      </Button>
      <Dialog title="Take over from easel.json" isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className="dialog-text" aria-live="polite">
          {error === null ? null : error instanceof ApiError ? (
            <ErrorNote error={error} />
          ) : (
            <p>{error.message}</p>
          )}
          {offer === null && error === null ? <p>Reading the file of the live version…</p> : null}
          {isSame ? <p>The file says the same as this screen.</p> : null}
          {settings.length === 0 ? null : <p>{settingsSentence(settings)} These count at once.</p>}
          {offer?.leavesGuestAi ? (
            <p>Whether guests use AI stays as it is: only the owner changes that.</p>
          ) : null}
          {changes.length === 0 ? null : (
            <p>A section of the file replaces that of the policy. You save the policy afterwards.</p>
          )}
          {changes.map((at) => (
            <div key={`${at.section} ${at.name}`} className="offered">
              <h3>
                <bdi>{at.name}</bdi>: {at.kind}
              </h3>
              {at.kind === "removed" ? null : (
                <Version
                  section={at.section}
                  entry={offer === null ? undefined : entryIn(offer.policy, at)}
                />
              )}
            </div>
          ))}
        </div>
        <div className="dialog-acts">
          <Button onPress={() => setOpen(false)}>{isSame ? "Close" : "Cancel"}</Button>
          {offer === null || isSame ? null : (
            <Button look="primary" isPending={isPending} onPress={() => void take(offer)}>
              Take over
            </Button>
          )}
        </div>
      </Dialog>
    </>
  );
}

function settingsSentence(settings: readonly [string, unknown][]): string {
  const on = settings.flatMap(([name, value]) => (value === true ? (SETTING_NAMES[name] ?? []) : []));
  const audiences = settings.flatMap(([name, value]) => {
    const what = AUDIENCE_NAMES[name];
    if (what === undefined) return [];
    return [`${what} for ${value === "viewers" ? "everyone who may open it" : "the owner and editors only"}`];
  });
  const guests = settings.flatMap(([name, value]) =>
    name === "guestAi" ? [value === true ? "guests use AI" : "guests do not use AI"] : [],
  );
  return [
    ...(on.length === 0 ? [] : [`Switches on ${listOf(on)}.`]),
    ...(audiences.length + guests.length === 0 ? [] : [`Sets: ${listOf([...audiences, ...guests])}.`]),
  ].join(" ");
}
