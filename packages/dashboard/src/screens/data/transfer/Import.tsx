import { LIMITS } from "@easel/protocol/limits";
import { DATA_PARTS, type ImportResult } from "@easel/protocol/management";
import { useMutation } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { canvasChanged } from "../../../api/queries.ts";
import type { Canvas } from "../../../api/types.ts";
import { upload } from "../../../deploy/upload.ts";
import { Button } from "../../../kit/Button.tsx";
import { bytesOf } from "../../../kit/bytes.ts";
import { Choices } from "../../../kit/Choices.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { countOf } from "../../../kit/words.ts";
import { useWindowDrop } from "../window-drop.ts";
import { PART_NAMES, reasonOf, summaryOf } from "./import-words.ts";

const EXISTING = [
  {
    value: "keep",
    label: "Keep what is here",
    description: "Keys, records and submissions that exist already stay as they are.",
  },
  {
    value: "replace",
    label: "Replace what is here",
    description: "Those that exist already get the values of the zip. What the zip does not have stays.",
  },
] as const;

/** Writes the data of a zip, and says what was written and what was not. */
export function Import({ canvas }: { canvas: Canvas }) {
  const [existing, setExisting] = useState<"keep" | "replace">("keep");
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const stop = useRef<AbortController | null>(null);
  const outcome = useRef<HTMLHeadingElement>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const { mutate, reset, isPending, data, error } = useMutation({
    async mutationFn(given: File): Promise<ImportResult | null> {
      const controller = new AbortController();
      stop.current = controller;
      setSent(0);
      try {
        const path = `/api/canvases/${encodeURIComponent(canvas.id)}/import?existing=${existing}`;
        const request = { method: "POST", path, type: "application/zip", body: given } as const;
        const response = await upload(request, controller.signal, setSent);
        return (await response.json()) as ImportResult;
      } catch (failure) {
        if (controller.signal.aborted) return null;
        throw failure;
      }
    },
    onSettled: () => canvasChanged(canvas.id),
  });
  const choose = ([first]: readonly File[]) => {
    if (first === undefined || isPending) return;
    setFile(first);
    reset();
  };
  const isOver = useWindowDrop(choose);
  useEffect(() => {
    if (data) outcome.current?.focus();
  }, [data]);
  const isLarge = file !== null && file.size > LIMITS.importBytes.value;
  return (
    <section className="card stack" aria-labelledby="import-title">
      <h2 id="import-title">Import</h2>
      <p className="small soft">
        Takes the zip of an export, of this canvas or of another one. It writes what you may write; records
        and files are yours then.
      </p>
      <div className="part-acts">
        <Button icon={<Upload aria-hidden />} isDisabled={isPending} onPress={() => input.current?.click()}>
          Choose a zip
        </Button>
        <input
          ref={input}
          type="file"
          accept=".zip,application/zip"
          hidden
          aria-label="Zip to import"
          onChange={({ target }) => {
            choose([...(target.files ?? [])]);
            target.value = "";
          }}
        />
        {file === null ? (
          <span className="small soft">Or drop it on the page.</span>
        ) : (
          <span role="status">
            <bdi>{file.name}</bdi> <span className="small soft">{bytesOf(file.size)}</span>
          </span>
        )}
      </div>
      {isLarge ? (
        <p className="small field-error">
          An import has at most {bytesOf(LIMITS.importBytes.value)}. Export the parts one by one.
        </p>
      ) : null}
      <Choices label="What exists already" choices={EXISTING} value={existing} onChange={setExisting} />
      <div className="part-acts">
        <Button
          look="primary"
          isPending={isPending}
          isDisabled={file === null || isLarge}
          onPress={() => {
            if (file !== null) mutate(file);
          }}
        >
          Import
        </Button>
        {isPending ? <Button onPress={() => stop.current?.abort()}>Stop</Button> : null}
      </div>
      <div role="status" className="import-progress">
        {isPending && file !== null ? (
          <>
            <progress
              aria-label="Import"
              max={Math.max(file.size, 1)}
              {...(sent < file.size ? { value: sent } : {})}
            />
            <span className="small">{sent < file.size ? "Sending the zip…" : "Writing the data…"}</span>
          </>
        ) : data === null ? (
          <p className="small">Stopped. What was written before stays; the import can be repeated.</p>
        ) : null}
      </div>
      {error === null ? null : <ErrorNote error={error} />}
      {data ? (
        <section className="stack" aria-labelledby="outcome-title">
          <h3 id="outcome-title" ref={outcome} tabIndex={-1}>
            {summaryOf(data)}
          </h3>
          <Outcome result={data} />
        </section>
      ) : null}
      {isOver ? (
        <div className="drop-target" role="status">
          <Upload aria-hidden />
          <p>Choose this zip for the import</p>
        </div>
      ) : null}
    </section>
  );
}

function Outcome({ result: { imported, skipped } }: { result: ImportResult }) {
  return (
    <>
      <table className="outcome">
        <caption className="hidden-text">What was imported</caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Imported</th>
          </tr>
        </thead>
        <tbody>
          {DATA_PARTS.map((part) => (
            <tr key={part}>
              <th scope="row">{PART_NAMES[part]}</th>
              <td>{imported[part]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {skipped.length === 0 ? null : (
        <table className="outcome">
          <caption>Left out</caption>
          <thead>
            <tr>
              <th scope="col">In the zip</th>
              <th scope="col">How many, and why</th>
              <th scope="col">First line</th>
            </tr>
          </thead>
          <tbody>
            {skipped.map(({ what, reason, count, line }) => (
              <tr key={`${what} ${reason}`}>
                <th scope="row">
                  <bdi>{what}</bdi>
                </th>
                <td>
                  {countOf(count, "entry", "entries")}: {reasonOf(reason)}
                </td>
                <td>{line ?? ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
