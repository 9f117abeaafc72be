import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { changeTags } from "../../api/canvas-acts.ts";
import type { Canvas } from "../../api/types.ts";
import { toastWithUndo, useCanvasChange } from "../../canvas/changes.ts";
import { isEditor } from "../../canvas/state.ts";
import { Button } from "../../kit/Button.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { TextField } from "../../kit/Field.tsx";

const without = (tag: string) => (tags: string[]) => tags.filter((each) => each !== tag);
const withTag = (tag: string) => (tags: string[]) => (tags.includes(tag) ? tags : [...tags, tag]);

/** The words by which a canvas is found. Editors add and remove them. */
export function TagsCard({ canvas }: { canvas: Canvas }) {
  const { id, tags } = canvas;
  const mayChange = isEditor(canvas) && canvas.publicationStatus !== "disabled";
  const remove = useCanvasChange(id, async (tag: string) => {
    await changeTags(id, without(tag));
    toastWithUndo(id, `Removed the tag ${tag}.`, () => changeTags(id, withTag(tag)));
  });
  if (tags.length === 0 && !mayChange) return null;
  return (
    <section className="card" aria-labelledby="tags">
      <h2 id="tags" tabIndex={-1}>
        Tags
      </h2>
      {tags.length === 0 ? (
        <p className="small soft">Words by which you find it in your list.</p>
      ) : (
        <ul className="tags">
          {tags.map((tag) => (
            <li key={tag} className="tag">
              <bdi>{tag}</bdi>
              {mayChange ? (
                <Button
                  look="quiet"
                  icon={<X aria-hidden />}
                  aria-label={`Remove the tag ${tag}`}
                  onPress={() => {
                    // The button goes away with its tag.
                    document.getElementById("tags")?.focus();
                    remove.mutate(tag);
                  }}
                />
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {remove.error === null ? null : <ErrorNote error={remove.error} />}
      {mayChange ? <NewTag id={id} /> : null}
    </section>
  );
}

function NewTag({ id }: { id: string }) {
  const [tag, setTag] = useState("");
  const add = useCanvasChange(id, (tag: string) => changeTags(id, withTag(tag)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = tag.trim();
    if (given !== "" && !add.isPending) add.mutate(given, { onSuccess: () => setTag("") });
  };
  return (
    <form className="new-tag" onSubmit={submit}>
      <TextField label="New tag" value={tag} onChange={setTag} error={add.error?.message} />
      <Button type="submit" isPending={add.isPending}>
        Add
      </Button>
    </form>
  );
}
