import { LIMITS } from "@easel/protocol/limits";
import type { FileRecord } from "@easel/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { type FormEvent, useState } from "react";
import { canvasKey } from "../../../api/queries.ts";
import { runtimeOf } from "../../../api/runtime.ts";
import type { Canvas } from "../../../api/types.ts";
import { Button, ButtonAnchor } from "../../../kit/Button.tsx";
import { bytesOf } from "../../../kit/bytes.ts";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { lookOf, textOf, visible } from "../../../kit/file-content.ts";
import { Loading } from "../../../kit/Loading.tsx";
import { Time } from "../../../kit/Time.tsx";
import { toast } from "../../../kit/toasts.ts";
import { Person } from "../Person.tsx";
import { placeOf } from "./filters.ts";
import { useContent } from "./use-content.ts";

/** The most characters of a text that are shown. */
const MAX_TEXT = 100_000;

/** One file: what it shows, as far as that is safe, what is known of it, and its name to change. */
export function FileDetails({
  canvas,
  file,
  onDelete,
  onRenamed,
}: {
  canvas: Canvas;
  file: FileRecord;
  onDelete: () => void;
  onRenamed: () => void;
}) {
  return (
    <div className="panel-form">
      <Preview canvas={canvas.id} file={file} />
      <dl className="file-facts small">
        <div>
          <dt>Size</dt>
          <dd>{bytesOf(file.size)}</dd>
        </div>
        <div>
          <dt>Type</dt>
          <dd>
            <bdi>{file.mime}</bdi>
          </dd>
        </div>
        <div>
          <dt>Uploaded</dt>
          <dd>
            <Person canvas={canvas.id} id={file.uploadedBy} />, <Time at={file.createdAt} />
          </dd>
        </div>
        <div>
          <dt>Belongs to</dt>
          <dd>
            {file.collection !== undefined && file.recordId !== null ? (
              <Link
                to="/canvases/$id/data"
                params={{ id: canvas.id }}
                search={{ show: `collection:${file.collection}`, record: file.recordId }}
              >
                <bdi>{placeOf(file)}</bdi>
              </Link>
            ) : (
              <bdi>{placeOf(file)}</bdi>
            )}
          </dd>
        </div>
      </dl>
      <Rename key={file.name} canvas={canvas.id} file={file} onRenamed={onRenamed} />
      <div className="panel-acts">
        <ButtonAnchor
          href={runtimeOf(canvas.id).files.url(file.id)}
          icon={<Download aria-hidden />}
          download={file.name}
        >
          Download
        </ButtonAnchor>
        <Button look="danger" onPress={onDelete}>
          Delete
        </Button>
      </div>
    </div>
  );
}

function Rename({ canvas, file, onRenamed }: { canvas: string; file: FileRecord; onRenamed: () => void }) {
  const [name, setName] = useState(file.name);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (to: string) => runtimeOf(canvas).files.rename(file.id, to),
    onSuccess(renamed) {
      // The service takes paths and invisible characters out.
      setName(renamed.name);
      toast({ text: `Renamed to ${renamed.name}.` });
      onRenamed();
    },
  });
  const fault =
    name.trim() === ""
      ? "A file needs a name."
      : name.length > LIMITS.fileNameLength.value
        ? `A name has at most ${LIMITS.fileNameLength.value} characters.`
        : null;
  const isChanged = name !== file.name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && fault === null) mutate(name);
  };
  return (
    <form className="rename" onSubmit={submit} noValidate>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={isChanged ? (fault ?? error?.message ?? null) : null}
        autoComplete="off"
        spellCheck="false"
      />
      <Button type="submit" isPending={isPending} isDisabled={!isChanged || fault !== null}>
        Rename
      </Button>
    </form>
  );
}

/** Shows an image or a text. HTML and SVG are shown as text: nothing of a file that somebody has stored runs here. */
function Preview({ canvas, file }: { canvas: string; file: FileRecord }) {
  const look = lookOf(file);
  const isShown = look !== "other";
  const { blob, address, error } = useContent(canvas, file, isShown);
  const [isBroken, setBroken] = useState(false);
  const { data: text } = useQuery({
    queryKey: canvasKey(canvas, "text", file.id),
    queryFn: async () => textOf(new Uint8Array(await (blob as Blob).arrayBuffer())),
    enabled: blob !== undefined && look !== "image",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (error !== null) return <ErrorNote error={error} />;
  if (!isShown)
    return (
      <p className="small soft">
        Not shown here: it is no text and no image, or too large. Download it to open it.
      </p>
    );
  if (look === "image") {
    if (isBroken) return <p className="small soft">The browser cannot show it as an image.</p>;
    return address === null ? (
      <Loading what="the image" rows={3} />
    ) : (
      <img className="preview" src={address} alt={file.name} onError={() => setBroken(true)} />
    );
  }
  if (text === undefined) return <Loading what="the text" rows={3} />;
  if (text === null)
    return <p className="small soft">Not shown here: it is no text. Download it to open it.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre className="preview" tabIndex={0}>
        <code>{visible(text.slice(0, MAX_TEXT))}</code>
      </pre>
      {text.length > MAX_TEXT ? (
        <p className="small soft">This is the beginning. Download it to read all.</p>
      ) : null}
    </>
  );
}
