import "./notes.css";
import type { ReactNode } from "react";
import { refusalOf } from "../api/api-error.ts";
import { Copy } from "./Copy.tsx";

/** An error where it happened: the sentence of the service, what to do, and the id of the request to tell an administrator. */
export function ErrorNote({ error, children }: { error: Error; children?: ReactNode }) {
  const { status = null, hint = null, requestId = null } = refusalOf(error) ?? {};
  // The frame has a bar for it.
  if (status === 401) return null;
  return (
    <div className="note bad" role="alert">
      <p>{error.message}</p>
      {hint === null ? null : <p className="small">{hint}</p>}
      {children}
      {requestId === null ? null : (
        <p className="small request-id">
          Request <code>{requestId}</code> <Copy text={requestId} what="request id" />
        </p>
      )}
    </div>
  );
}
