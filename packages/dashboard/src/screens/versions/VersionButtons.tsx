import { useNavigate } from "@tanstack/react-router";
import { Download, Eye, FileDiff, Trash2, Undo2, Upload } from "lucide-react";
import { useState } from "react";
import type { Version } from "../../api/types.ts";
import { nameOf } from "../../canvas/version-name.ts";
import { Button } from "../../kit/Button.tsx";
import { ConfirmDialog } from "../../kit/Dialog.tsx";
import { ActMenu } from "../../kit/Menu.tsx";
import type { VersionActs } from "./acts.ts";
import { zipAddress } from "./version-queries.ts";

/** What an editor can do with a version. The callbacks move the focus, because the button that had it may be gone. */
export function VersionButtons({
  version,
  acts,
  afterPublish,
  beforeDelete,
  afterDelete,
}: {
  version: Version;
  acts: VersionActs;
  afterPublish: () => void;
  beforeDelete?: () => void;
  afterDelete?: () => void;
}) {
  const { id } = acts.canvas;
  const [asks, setAsks] = useState(false);
  const navigate = useNavigate();
  const name = nameOf(version);
  const word = acts.publishWord(version);
  const publish = async () => {
    await acts.publish(version);
    afterPublish();
  };
  const compareWithLive = () =>
    navigate({
      to: "/canvases/$id/versions",
      params: { id },
      search: (old) => ({ version: version.id, with: acts.liveVersion ?? old.with }),
    });
  return (
    <div className="version-acts">
      <Button
        icon={<Eye aria-hidden />}
        aria-label={`Preview ${name}`}
        onPress={() => void acts.preview(version)}
      >
        Preview
      </Button>
      {acts.canPublish(version) ? (
        <Button
          icon={word === "Publish" ? <Upload aria-hidden /> : <Undo2 aria-hidden />}
          aria-label={word === "Publish" ? `Publish ${name}` : `Roll back to ${name}`}
          isPending={acts.isPublishing(version)}
          onPress={() => void publish()}
        >
          {word}
        </Button>
      ) : null}
      <ActMenu
        label={`More acts for ${name}`}
        acts={[
          ...(version.current || acts.liveVersion === null
            ? []
            : [
                {
                  label: "Compare with the live version",
                  icon: <FileDiff aria-hidden />,
                  run: () => void compareWithLive(),
                },
              ]),
          {
            label: "Download as a zip",
            icon: <Download aria-hidden />,
            run: () => location.assign(zipAddress(id, version.id)),
          },
          {
            label: version.current ? "Delete (not the live version)" : "Delete…",
            icon: <Trash2 aria-hidden />,
            isDanger: true,
            isDisabled: version.current,
            run: () => setAsks(true),
          },
        ]}
      />
      <ConfirmDialog
        title="Delete this version?"
        act="Delete"
        isDanger
        isOpen={asks}
        onClose={() => setAsks(false)}
        onConfirm={async () => {
          beforeDelete?.();
          await acts.remove(version);
          afterDelete?.();
        }}
      >
        <p>The files of {name} are gone for good. What is live and all data stay as they are.</p>
      </ConfirmDialog>
    </div>
  );
}
