import { PRESETS, type Preset } from "@easel/protocol/policy";
import { FolderX } from "lucide-react";
import { useState } from "react";
import { changeCapabilities } from "../../../api/canvas-acts.ts";
import { canvasQuery, queries } from "../../../api/queries.ts";
import type { Canvas } from "../../../api/types.ts";
import { useCanvasChange } from "../../../canvas/changes.ts";
import { Button, ButtonLink } from "../../../kit/Button.tsx";
import { Empty } from "../../../kit/Empty.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { NativeSelect } from "../../../kit/NativeSelect.tsx";
import { countOf } from "../../../kit/words.ts";
import { sentencesOf } from "../../backend/policy/sentences.ts";

const CHOICES = (Object.keys(PRESETS) as Preset[]).map((value) => ({
  value,
  label: value,
}));

/** Says that nobody can read a collection because the policy does not have it, and puts it back into the policy. */
export function NotInPolicy({ canvas, name, records }: { canvas: Canvas; name: string; records: number }) {
  const [preset, setPreset] = useState<Preset>("contributions");
  const add = useCanvasChange(canvas.id, async () => {
    // The policy is replaced as a whole: what somebody else has changed meanwhile stays.
    const { runtimePolicy, runtimePolicyRevision } = await queries.fetchQuery({
      ...canvasQuery(canvas.id),
      staleTime: 0,
    });
    if (runtimePolicy?.collections?.[name] !== undefined) return;
    await changeCapabilities(canvas.id, {
      expectedRuntimePolicy: runtimePolicyRevision,
      runtimePolicy: {
        ...runtimePolicy,
        collections: { ...runtimePolicy?.collections, [name]: { preset } },
      },
    });
  });
  return (
    <Empty
      icon={<FolderX aria-hidden />}
      title="This collection is not in the policy"
      acts={
        <div className="stack add-to-policy">
          <NativeSelect
            label="Who may do what"
            choices={CHOICES}
            value={preset}
            onChange={setPreset}
            description={sentencesOf({ preset }, "records").join(" ")}
          />
          <Button look="primary" isPending={add.isPending} onPress={() => add.mutate()}>
            Add it to the policy
          </Button>
          <ButtonLink look="quiet" to="/canvases/$id/backend" params={{ id: canvas.id }}>
            See the whole policy
          </ButtonLink>
          {add.error === null ? null : <ErrorNote error={add.error} />}
        </div>
      }
    >
      <p>
        <bdi>{name}</bdi> has {countOf(records, "record")}, which {records === 1 ? "is" : "are"} kept. Nobody
        can read or write {records === 1 ? "it" : "them"} until the policy has the collection again, not even
        you.
      </p>
    </Empty>
  );
}
