import type { CapabilitySettings } from "@easel/protocol/management";
import type { Canvas } from "@easel/protocol/types";
import { type EaselJson, easelJson, faultsOf } from "../../canvases/publishing/easel-json.ts";
import { capabilitiesOff, changesFor, switchesFor } from "../../canvases/publishing/easel-json-changes.ts";
import { refuse } from "../../http/refusal.ts";
import { actNamed } from "../../management/acts.ts";
import { type Acting, perform } from "../tool-call.ts";

const updateAct = actNamed<Canvas>("canvas.update");
const capabilitiesAct = actNamed<CapabilitySettings>("canvas.capabilities");

/** The maximum size of an `easel.json` that is applied, in bytes. */
const MAX_BYTES = 64 * 1024;

/** Parses an `easel.json`. Throws 400 `INVALID_BODY` with its faults. */
export function parseEaselJson(bytes: Buffer): EaselJson {
  const faults =
    bytes.length > MAX_BYTES ? ["is larger than 64 KiB"] : faultsOf(bytes.toString("utf8")).slice(0, 10);
  if (faults.length > 0)
    refuse("INVALID_BODY", {
      message: faults.map((fault) => `easel.json: ${fault}`).join("\n"),
      hint: "Nothing was changed. `guide` explains the file.",
    });
  return easelJson.parse(JSON.parse(bytes.toString("utf8")));
}

/** What an `easel.json` has changed on a canvas: the names of the settings, and warnings about what could not be. */
export interface Applied {
  changed: string[];
  warnings: string[];
}

/** Returns a warning about settings that say who may enter, find or spend more than before. No tool that deploys sets them. */
function warningsOf({ listing, audiences, ownerOnly }: ReturnType<typeof changesFor>): string[] {
  const left = [...Object.keys(audiences ?? {}), ...ownerOnly, ...(listing === undefined ? [] : ["listed"])];
  return left.length === 0
    ? []
    : [
        `easel.json: ${left.join(", ")} stay as they are, because they say who may do or find more. Your person sets them.`,
      ];
}

/**
 * Applies an `easel.json` to a canvas as `easel deploy` does, with what the scope `deploy` may set: title, routing and policy, and the
 * capabilities if it is the first deploy. Afterwards, a capability that is off stays off, because somebody may have turned it off.
 */
export async function applyEaselJson(
  call: Acting,
  canvas: Canvas,
  settings: EaselJson,
  { isFirst, isNew }: { isFirst: boolean; isNew: boolean },
): Promise<Applied> {
  const params = { id: canvas.id };
  const changed: string[] = [];
  const changes = changesFor(settings, canvas, isNew);
  const warnings = warningsOf(changes);
  const { page, policy } = changes;
  if (isFirst) {
    await perform(call, capabilitiesAct, { params, body: switchesFor(settings.capabilities) });
    if (settings.capabilities !== undefined) changed.push("capabilities");
  } else {
    const off = capabilitiesOff(canvas, settings.capabilities);
    if (off.length > 0)
      warnings.push(
        `easel.json needs what is off on this canvas: ${off.join(", ")}. \`configure_canvas\` turns it on.`,
      );
  }
  if (page !== undefined) {
    await perform(call, updateAct, { params, body: page });
    changed.push(...Object.keys(page));
  }
  if (policy !== undefined) {
    await perform(call, capabilitiesAct, { params, body: policy });
    changed.push("policy");
  }
  return { changed, warnings };
}
