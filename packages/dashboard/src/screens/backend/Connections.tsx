import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client.ts";
import { canvasKey } from "../../api/queries.ts";
import type { Canvas } from "../../api/types.ts";
import { Badge } from "../../kit/Badge.tsx";
import { Button } from "../../kit/Button.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { listOf } from "../../kit/words.ts";
import { entryIn, withEntry } from "./policy/document.ts";
import { connectionSentence } from "./policy/sentences.ts";
import type { PolicyEditor } from "./policy/usePolicy.ts";

/** The Connections that are granted to a canvas. */
export const connectionsQuery = (id: string) =>
  queryOptions({
    queryKey: canvasKey(id, "connections"),
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/canvases/{id}/connections", { params: { path: { id } }, signal })))
        .connections,
  });

/** The external APIs that the page may call: what an administrator has granted, and who uses it. */
export function Connections({ canvas, editor }: { canvas: Canvas; editor: PolicyEditor }) {
  const { data: granted, error } = useQuery(connectionsQuery(canvas.id));
  return (
    <section className="card stack" aria-labelledby="connections">
      <h2 id="connections">Connections</h2>
      {error === null ? null : <ErrorNote error={error} />}
      {granted?.length === 0 ? (
        <p className="soft">
          None is granted to this canvas. An administrator approves external APIs and grants them.
        </p>
      ) : null}
      <ul className="granted">
        {(granted ?? []).map(({ profile, origin, methods, enabled, public: isPublic }) => {
          const at = { section: "connections", name: profile } as const;
          const entry = entryIn(editor.shown, at);
          const audience = canvas.capabilities.connectionsAudience;
          return (
            <li key={profile}>
              <div className="switch-row">
                <h3>
                  <bdi>{profile}</bdi>
                </h3>
                <Badge look={enabled ? "good" : "wait"}>{enabled ? "Granted" : "Switched off"}</Badge>
              </div>
              <p className="small">
                <code>{origin}</code>, by {listOf(methods)}
              </p>
              {enabled ? null : (
                <p className="small soft">
                  Calls are refused until an administrator switches it on or gives its key again.
                </p>
              )}
              <p className="small soft">
                {connectionSentence(entry !== undefined && "audience" in entry ? entry : { audience })}{" "}
                {isPublic ? "Visitors of a public link, too, within the limits of the grant." : ""}
              </p>
              {entry === undefined ? (
                <Button
                  isDisabled={editor.policy === null}
                  aria-label={`Restrict it in the policy: ${profile}`}
                  onPress={() => editor.change(withEntry(editor.shown, at, { audience }))}
                >
                  Restrict it in the policy
                </Button>
              ) : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
