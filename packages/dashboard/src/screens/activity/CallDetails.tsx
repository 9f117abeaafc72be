import { hintOf, remedyOf } from "@easel/protocol/call-hints";
import { Link } from "@tanstack/react-router";
import type { Call, Canvas } from "../../api/types.ts";
import { Copy } from "../../kit/Copy.tsx";
import { Time } from "../../kit/Time.tsx";
import { countOf } from "../../kit/words.ts";
import { entryAddress } from "../backend/search.ts";
import { messageFor } from "./assistant.ts";
import { callerOf, placeOf } from "./calls.ts";
import { entryOf, rightOf } from "./policy-hints.ts";

/** Why a call was refused or failed, what to do about it, and the facts that somebody else may ask for. */
export function CallDetails({ call, canvas }: { call: Call; canvas: Canvas }) {
  const { at, method, route, status, code, message, requestId, pageError } = call;
  const right =
    code === "PERMISSION_DENIED" || code === "NOT_FOUND" ? rightOf(call, canvas.runtimePolicy) : null;
  return (
    <>
      <p>{hintOf(call)}</p>
      {right === null ? null : <p>{right}</p>}
      <Remedy call={call} canvas={canvas} />
      <dl className="call-facts small">
        {pageError === null ? (
          <>
            <dt>Call</dt>
            <dd>
              <code>
                {method} {route}
              </code>
            </dd>
          </>
        ) : (
          <Place error={pageError} />
        )}
        <dt>{pageError === null ? "Answer" : "Error"}</dt>
        <dd>
          {pageError === null ? status : null}{" "}
          {code === null ? null : <code className="call-code">{code}</code>}
          {message === null ? null : <bdi className="call-message">{message}</bdi>}
        </dd>
        <dt>Who</dt>
        <dd>
          <bdi>{callerOf(call)}</bdi>
        </dd>
        <dt>When</dt>
        <dd>
          <Time at={at} as="exact" />
        </dd>
      </dl>
      <details className="small">
        <summary>Request id</summary>
        <p className="row">
          <code>{requestId}</code> <Copy text={requestId} what="request id" />
        </p>
        <p className="soft">An administrator finds the call in the log of the service by it.</p>
      </details>
      <p>
        <Copy
          text={messageFor(call, canvas, location.origin)}
          what="message for an assistant"
          label="Copy for an assistant"
          look="plain"
        />
      </p>
    </>
  );
}

/** Where and how often an error of a page happened. */
function Place({ error }: { error: NonNullable<Call["pageError"]> }) {
  const { page, count, preview } = error;
  const place = placeOf(error);
  return (
    <>
      <dt>Page</dt>
      <dd>
        <bdi>{page}</bdi>
        {preview ? ", in a preview" : null}
      </dd>
      {place === null ? null : (
        <>
          <dt>Place</dt>
          <dd>
            <bdi>{place}</bdi>
          </dd>
        </>
      )}
      <dt>How often</dt>
      <dd>{countOf(count, "time")}</dd>
    </>
  );
}

/** The link to where what refused the call is changed. */
function Remedy({ call, canvas: { id } }: { call: Call; canvas: Canvas }) {
  const entry = entryOf(call);
  const remedy = remedyOf(call);
  if (remedy === "sharing")
    return (
      <p>
        <Link to="/canvases/$id/sharing" params={{ id }}>
          Who may open it
        </Link>
      </p>
    );
  if (remedy === "backend")
    return (
      <p>
        <Link to="/canvases/$id/backend" params={{ id }}>
          The switches of the backend
        </Link>
      </p>
    );
  if (entry === null) return null;
  return (
    <p>
      <Link to="/canvases/$id/backend" params={{ id }} search={{ entry: entryAddress(entry) }}>
        Its entry of the policy, <bdi>“{entry.name}”</bdi>
      </Link>
    </p>
  );
}
