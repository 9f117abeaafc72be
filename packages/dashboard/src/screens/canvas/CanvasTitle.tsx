import { Pencil } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { updateCanvas } from "../../api/canvas-acts.ts";
import type { Canvas } from "../../api/types.ts";
import { useCanvasChange } from "../../canvas/changes.ts";
import { isEditor } from "../../canvas/state.ts";
import { Button } from "../../kit/Button.tsx";
import { TextField } from "../../kit/Field.tsx";

/** The title of a canvas, which editors change in its place. Enter saves, Escape leaves. */
export function CanvasTitle({ canvas }: { canvas: Canvas }) {
  const [isEditing, setEditing] = useState(false);
  const pencil = useRef<HTMLButtonElement>(null);
  const leave = () => {
    setEditing(false);
    // The button is drawn after this.
    requestAnimationFrame(() => pencil.current?.focus());
  };
  if (isEditing && isEditor(canvas)) return <TitleForm canvas={canvas} onLeave={leave} />;
  return (
    <div className="title">
      <h1>
        <bdi>{canvas.title}</bdi>
      </h1>
      {isEditor(canvas) && canvas.publicationStatus !== "disabled" ? (
        <Button
          ref={pencil}
          look="quiet"
          icon={<Pencil aria-hidden />}
          aria-label="Change the title"
          onPress={() => setEditing(true)}
        />
      ) : null}
    </div>
  );
}

function TitleForm({ canvas, onLeave }: { canvas: Canvas; onLeave: () => void }) {
  const [title, setTitle] = useState(canvas.title);
  const save = useCanvasChange(canvas.id, (to: string) => updateCanvas(canvas.id, { title: to }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    if (title === canvas.title) onLeave();
    else save.mutate(title, { onSuccess: onLeave });
  };
  return (
    <form className="title-form" onSubmit={submit}>
      <h1 className="hidden-text">{canvas.title}</h1>
      <TextField
        label="Title"
        autoFocus
        value={title}
        onChange={setTitle}
        onKeyDown={({ key }) => {
          if (key === "Escape") onLeave();
        }}
        error={save.error?.message}
      />
      <div className="row">
        <Button type="submit" look="primary" isPending={save.isPending}>
          Save
        </Button>
        <Button onPress={onLeave}>Cancel</Button>
      </div>
    </form>
  );
}
