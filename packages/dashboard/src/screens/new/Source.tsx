import { ClipboardPaste, FileUp, FolderOpen, Shapes, Upload } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import type { Canvas } from "../../api/types.ts";
import { EXAMPLES, offerOfExample, TEMPLATES } from "../../deploy/examples.ts";
import { droppedOf } from "../../deploy/handed-over.ts";
import { BadOffer, type Offer } from "../../deploy/offered.ts";
import { offerOfDropped, offerOfHtml, offerOfInput } from "../../deploy/pick.ts";
import { Button } from "../../kit/Button.tsx";
import { Dialog } from "../../kit/Dialog.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { TextField } from "../../kit/Field.tsx";

type Take = (offer: Promise<Offer>) => unknown;

/** Takes files and pages that are pasted outside of fields. */
function usePaste(onOffer: Take): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const { clipboardData: data, target } = event;
      const isField = target instanceof HTMLElement && target.closest("input, textarea") !== null;
      if (isField || data === null) return;
      const text = data.getData("text/plain");
      const dropped = droppedOf(data);
      const isPage = text.trimStart().startsWith("<");
      if (dropped.files.length === 0 && !isPage) return;
      event.preventDefault();
      onOffer(dropped.files.length > 0 ? offerOfDropped(dropped) : Promise.resolve(offerOfHtml(text)));
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, [onOffer]);
}

/** An input of files that another control opens. */
function usePicker(onOffer: Take, isFolder: boolean): { input: ReactNode; open: () => void } {
  const ref = useRef<HTMLInputElement>(null);
  const input = (
    <input
      ref={ref}
      type="file"
      hidden
      multiple={!isFolder}
      {...(isFolder ? { webkitdirectory: "" } : {})}
      onChange={({ target }) => {
        const files = [...(target.files ?? [])];
        // The same folder can be chosen again.
        target.value = "";
        onOffer(offerOfInput(files));
      }}
    />
  );
  return { input, open: () => ref.current?.click() };
}

function PasteDialog({ isOpen, onClose, onOffer }: { isOpen: boolean; onClose: () => void; onOffer: Take }) {
  const [html, setHtml] = useState("");
  const [error, setError] = useState<string | null>(null);
  const take = () => {
    if (!html.trimStart().startsWith("<")) {
      setError("A page begins with a tag, such as <!doctype html>.");
      return;
    }
    onClose();
    onOffer(Promise.resolve(offerOfHtml(html)));
  };
  return (
    <Dialog title="Paste HTML" isOpen={isOpen} onClose={onClose}>
      <TextField
        label="The page"
        description="The whole page, with its styles and scripts in it. It becomes the index.html of the canvas."
        lines={10}
        value={html}
        onChange={setHtml}
        error={error}
        autoFocus
      />
      <div className="dialog-acts">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" onPress={take}>
          Use this page
        </Button>
      </div>
    </Dialog>
  );
}

const ExamplesDialog = ({
  isOpen,
  onClose,
  onOffer,
}: {
  isOpen: boolean;
  onClose: () => void;
  onOffer: Take;
}) => (
  <Dialog title="Start from an example" isOpen={isOpen} onClose={onClose}>
    <ul className="examples">
      {TEMPLATES.map((name) => (
        <li key={name}>
          <AriaButton
            className="example"
            onPress={() => {
              onClose();
              onOffer(offerOfExample(name));
            }}
          >
            <strong>{name.charAt(0).toUpperCase() + name.slice(1).replace("-", " ")}</strong>
            <span className="soft small">{EXAMPLES[name]}</span>
          </AriaButton>
        </li>
      ))}
    </ul>
    <div className="dialog-acts">
      <Button onPress={onClose}>Cancel</Button>
    </div>
  </Dialog>
);

/** Where the files come from. */
export function Source({
  error,
  onOffer,
  canvas,
}: {
  error: Error | null;
  onOffer: Take;
  canvas: Canvas | null;
}) {
  const [dialog, setDialog] = useState<"paste" | "examples" | null>(null);
  const folder = usePicker(onOffer, true);
  const file = usePicker(onOffer, false);
  usePaste(onOffer);
  const close = () => setDialog(null);
  return (
    <div className="stack">
      {error === null ? null : (
        <ErrorNote error={error}>
          {error instanceof BadOffer && error.hint !== null ? <p className="small">{error.hint}</p> : null}
        </ErrorNote>
      )}
      <AriaButton className="drop-area" onPress={folder.open}>
        <Upload aria-hidden />
        <strong>Drop a folder here, or choose one</strong>
        <span className="soft">
          {canvas === null
            ? "A canvas is a folder with an index.html. Only you can open it until you share it."
            : "Its files replace those of the version before. Data that people have stored stays."}
        </span>
      </AriaButton>
      <div className="row sources">
        {folder.input}
        {file.input}
        <Button icon={<FolderOpen aria-hidden />} onPress={folder.open}>
          Choose folder
        </Button>
        <Button icon={<FileUp aria-hidden />} onPress={file.open}>
          Choose file or zip
        </Button>
        <Button icon={<ClipboardPaste aria-hidden />} onPress={() => setDialog("paste")}>
          Paste HTML
        </Button>
        {canvas === null ? (
          <Button icon={<Shapes aria-hidden />} onPress={() => setDialog("examples")}>
            Start from an example
          </Button>
        ) : null}
      </div>
      <PasteDialog isOpen={dialog === "paste"} onClose={close} onOffer={onOffer} />
      <ExamplesDialog isOpen={dialog === "examples"} onClose={close} onOffer={onOffer} />
    </div>
  );
}
