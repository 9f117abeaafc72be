import { Archive, ArchiveRestore, Tag, Trash2, Undo2, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { changeTags, deleteCanvas, restoreCanvas, updateCanvas } from "../../api/canvas-acts.ts";
import { queries } from "../../api/queries.ts";
import type { ListedCanvas } from "../../api/types.ts";
import { rowChanged, rowGone } from "../../canvas/lists.ts";
import { Button } from "../../kit/Button.tsx";
import { Dialog } from "../../kit/Dialog.tsx";
import { TextField } from "../../kit/Field.tsx";
import { MAX_MANY } from "./many.ts";
import type { ManyAct } from "./use-many.ts";

const update = async (id: string, body: Parameters<typeof updateCanvas>[1]) =>
  rowChanged(await updateCanvas(id, body));

const archive: ManyAct = {
  doing: "Archiving",
  done: "Archived",
  run: ({ id }) => update(id, { archived: true }),
  undo: ({ id }) => update(id, { archived: false }),
};

const unarchive: ManyAct = {
  doing: "Restoring",
  done: "Restored from the archive:",
  run: ({ id }) => update(id, { archived: false }),
  undo: ({ id }) => update(id, { archived: true }),
};

const remove: ManyAct = {
  doing: "Deleting",
  done: "Moved to the trash:",
  async run({ id }) {
    await deleteCanvas(id);
    rowGone(id);
  },
  async undo({ id }) {
    await restoreCanvas(id);
    await queries.invalidateQueries({ queryKey: ["canvases"] });
  },
};

const restore: ManyAct = {
  doing: "Restoring",
  done: "Restored",
  async run({ id }) {
    await restoreCanvas(id);
    rowGone(id);
  },
};

/** Adds a tag. Undo takes it away from those that did not have it. */
const addTag = (tag: string): ManyAct => ({
  doing: "Tagging",
  done: `Added the tag ${tag} to`,
  run: async ({ id }) => rowChanged(await changeTags(id, (tags) => [...new Set([...tags, tag])])),
  async undo({ id, tags }) {
    if (!tags.includes(tag)) rowChanged(await changeTags(id, (now) => now.filter((each) => each !== tag)));
  },
});

/** What can be done with the selected canvases. `progress` is what is being done, null between acts. */
export function SelectionBar({
  selected,
  isTrash,
  progress,
  onAct,
  onClear,
}: {
  selected: readonly ListedCanvas[];
  isTrash: boolean;
  progress: string | null;
  onAct: (act: ManyAct) => void;
  onClear: () => void;
}) {
  const [isTagging, setTagging] = useState(false);
  const isTooMany = selected.length > MAX_MANY;
  const isPending = progress !== null || isTooMany;
  const archived = selected.filter(({ publicationStatus }) => publicationStatus === "archived").length;
  const isOwner = selected.every(({ viewerRole }) => viewerRole === "owner");
  const act = (act: ManyAct) => () => onAct(act);
  return (
    <section className="selection-bar" aria-label="Selected canvases">
      <p role="status">
        {progress ??
          (isTooMany
            ? `${selected.length} selected: at most ${MAX_MANY} at a time`
            : `${selected.length} selected`)}
      </p>
      {isTrash ? (
        <Button icon={<Undo2 aria-hidden />} isPending={isPending} onPress={act(restore)}>
          Restore
        </Button>
      ) : (
        <>
          {archived < selected.length ? (
            <Button icon={<Archive aria-hidden />} isPending={isPending} onPress={act(archive)}>
              Archive
            </Button>
          ) : null}
          {archived > 0 ? (
            <Button icon={<ArchiveRestore aria-hidden />} isPending={isPending} onPress={act(unarchive)}>
              Restore from the archive
            </Button>
          ) : null}
          <Button icon={<Tag aria-hidden />} isPending={isPending} onPress={() => setTagging(true)}>
            Add a tag
          </Button>
          {isOwner ? (
            <Button look="danger" icon={<Trash2 aria-hidden />} isPending={isPending} onPress={act(remove)}>
              Delete
            </Button>
          ) : null}
        </>
      )}
      <Button look="quiet" icon={<X aria-hidden />} aria-label="Select nothing" onPress={onClear} />
      <Dialog title="Add a tag" isOpen={isTagging} onClose={() => setTagging(false)}>
        <TagForm
          onCancel={() => setTagging(false)}
          onTag={(tag) => {
            setTagging(false);
            onAct(addTag(tag));
          }}
        />
      </Dialog>
    </section>
  );
}

function TagForm({ onTag, onCancel }: { onTag: (tag: string) => void; onCancel: () => void }) {
  const [tag, setTag] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (tag.trim() !== "") onTag(tag.trim());
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField label="Tag" autoFocus value={tag} onChange={setTag} description="You can filter by it." />
      <div className="dialog-acts">
        <Button onPress={onCancel}>Cancel</Button>
        <Button type="submit" look="primary">
          Add
        </Button>
      </div>
    </form>
  );
}
