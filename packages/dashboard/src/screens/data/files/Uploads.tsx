import { LIMITS } from "@easel/protocol/limits";
import { useEffect, useRef, useState } from "react";
import { runtimeOf } from "../../../api/runtime.ts";
import { Button } from "../../../kit/Button.tsx";
import { bytesOf } from "../../../kit/bytes.ts";
import { countOf } from "../../../kit/words.ts";

/** A file that is uploaded, or was. `sent` is in bytes. */
interface OneUpload {
  id: number;
  file: File;
  group: string | undefined;
  state: "waiting" | "sending" | "stored" | "failed";
  sent: number;
  error: string | null;
}

interface UploadList {
  list: readonly OneUpload[];
  add: (files: readonly File[], group: string | undefined) => void;
  cancel: (id: number) => void;
  retry: (id: number) => void;
  clear: () => void;
}

let count = 0;

/** Uploads files one after the other. `onStored` is called after each. What is under way ends with the screen. */
export function useUploads(canvas: string, onStored: () => void): UploadList {
  const [list, setList] = useState<readonly OneUpload[]>([]);
  const running = useRef<{ id: number; stop: AbortController } | null>(null);
  const change = (id: number, to: Partial<OneUpload>) =>
    setList((before) => before.map((each) => (each.id === id ? { ...each, ...to } : each)));

  // biome-ignore lint/correctness/useExhaustiveDependencies: begins with what waits, whenever nothing runs
  useEffect(() => {
    const next = list.find(({ state }) => state === "waiting");
    if (next === undefined || running.current !== null) return;
    const { id, file, group } = next;
    const stop = new AbortController();
    running.current = { id, stop };
    change(id, { state: "sending", sent: 0, error: null });
    void runtimeOf(canvas)
      .files.upload(file, {
        ...(group === undefined ? {} : { group: group as never }),
        signal: stop.signal,
        onProgress: ({ loaded }) => change(id, { sent: loaded }),
      })
      .then(
        () => {
          change(id, { state: "stored", sent: file.size });
          onStored();
        },
        (error) => {
          if (!stop.signal.aborted) change(id, { state: "failed", error: (error as Error).message });
        },
      )
      .finally(() => {
        running.current = null;
        // Another list, so that the next one begins.
        setList((before) => [...before]);
      });
  }, [list]);
  useEffect(() => () => running.current?.stop.abort(), []);

  return {
    list,
    add: (files, group) =>
      setList((before) => [
        ...before.filter(({ state }) => state !== "stored"),
        ...files.map((file): OneUpload => {
          const isLarge = file.size > LIMITS.fileBytes.value;
          return {
            id: ++count,
            file,
            group,
            state: isLarge ? "failed" : "waiting",
            sent: 0,
            error: isLarge
              ? `It has ${bytesOf(file.size)}; a file has at most ${bytesOf(LIMITS.fileBytes.value)}.`
              : null,
          };
        }),
      ]),
    cancel(id) {
      if (running.current?.id === id) running.current.stop.abort();
      setList((before) => before.filter((each) => each.id !== id));
    },
    retry: (id) => change(id, { state: "waiting", sent: 0, error: null }),
    clear: () =>
      setList((before) => before.filter(({ state }) => state === "waiting" || state === "sending")),
  };
}

/** The uploads with their progress, and what has become of them. */
export function Uploads({ list, cancel, retry, clear }: UploadList) {
  const stored = list.filter(({ state }) => state === "stored").length;
  const failed = list.filter(({ state }) => state === "failed").length;
  const isDone = stored + failed === list.length;
  const summary = isDone
    ? [
        ...(stored > 0 ? [`Uploaded ${countOf(stored, "file")}.`] : []),
        ...(failed > 0 ? [`${countOf(failed, "file was", "files were")} not uploaded.`] : []),
      ].join(" ")
    : `Uploading ${stored + failed + 1} of ${list.length}…`;
  if (list.length === 0) return null;
  return (
    <section className="uploads" aria-label="Uploads">
      <div className="part-acts">
        <p role="status">{summary}</p>
        {isDone ? (
          <Button look="quiet" onPress={clear}>
            Close
          </Button>
        ) : null}
      </div>
      <ul>
        {list
          .filter(({ state }) => state !== "stored")
          .map(({ id, file, state, sent, error }) => (
            <li key={id}>
              <bdi>{file.name}</bdi>
              {state === "failed" ? (
                <span className="field-error">{error}</span>
              ) : (
                <progress
                  aria-label={`Upload of ${file.name}`}
                  max={Math.max(file.size, 1)}
                  value={state === "sending" ? sent : 0}
                />
              )}
              {state === "failed" && file.size <= LIMITS.fileBytes.value ? (
                <Button look="quiet" onPress={() => retry(id)}>
                  Try again
                </Button>
              ) : null}
              <Button look="quiet" onPress={() => cancel(id)}>
                {state === "sending" ? "Stop" : "Leave out"}
                <span className="hidden-text"> {file.name}</span>
              </Button>
            </li>
          ))}
      </ul>
    </section>
  );
}
