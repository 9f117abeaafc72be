import "./notes.css";
import type { ReactNode } from "react";
import { ApiError, SignedOut } from "../api/api-error.ts";
import { Copy } from "./Copy.tsx";

/** An error where it happened: the sentence of the service, what to do, and the id of the request to tell an administrator. */
export function ErrorNote({ error, children }: { error: Error; children?: ReactNode }) {
  // The frame has a bar for it.
  if (error instanceof SignedOut) return null;
  const { hint = null, requestId = null } = error instanceof ApiError ? error : {};
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
