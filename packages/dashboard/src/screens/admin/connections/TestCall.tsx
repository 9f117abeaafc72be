import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type TestBody, testConnection } from "../../../api/admin.ts";
import { errorAt, errorElsewhere } from "../../../api/field-errors.ts";
import type { ConnectionProfile } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { Select } from "../../../kit/Select.tsx";
import { testWords } from "./words.ts";

/** Sends one request through a Connection, and says how it ended. */
export function TestCall({ profile: { profile: name, origin } }: { profile: ConnectionProfile }) {
  const [method, setMethod] = useState<TestBody["method"]>("GET");
  const [path, setPath] = useState("/");
  const test = useMutation({ mutationFn: () => testConnection(name, { method, path: path.trim() }) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!test.isPending) test.mutate();
  };
  const { data } = test;
  const rest = errorElsewhere(test.error, ["path"]);
  return (
    <section className="card stack" aria-labelledby="test">
      <h2 id="test">Test call</h2>
      <form className="test-form" onSubmit={submit}>
        <Select
          label="Method"
          value={method}
          onChange={setMethod}
          choices={[
            { value: "GET", label: "GET" },
            { value: "HEAD", label: "HEAD" },
          ]}
        />
        <TextField label="Path" value={path} onChange={setPath} error={errorAt(test.error, "path")} />
        <Button type="submit" isPending={test.isPending}>
          Send
        </Button>
      </form>
      <p className="soft small">
        It goes to <bdi>{origin}</bdi> with the stored headers, also while the Connection is disabled. Of the
        response you see the status and the size, never the content.
      </p>
      {rest === null ? null : <ErrorNote error={rest} />}
      <div role="status">
        {test.isPending ? (
          <p className="soft">Waiting for the server…</p>
        ) : data === undefined ? null : (
          <p
            className={`note ${data.status === null || data.status >= 500 ? "bad" : data.status >= 400 ? "wait" : "good"}`}
          >
            <span>
              {testWords(data)} {data.code === null ? null : <code>{data.code}</code>}
            </span>
          </p>
        )}
      </div>
    </section>
  );
}
