import { Link } from "@tanstack/react-router";
import type { ListedCanvas } from "../../api/types.ts";

/** The number of canvases up to which a draft among them is worth a line. */
const FEW = 20;

/** Reminds of the last draft among a few canvases. */
export function DraftStrip({ canvases }: { canvases: readonly ListedCanvas[] }) {
  const draft = canvases.find(({ publicationStatus }) => publicationStatus === "draft");
  if (draft === undefined || canvases.length > FEW) return null;
  return (
    <p className="draft-strip">
      <span>
        <strong>
          <bdi>{draft.title}</bdi>
        </strong>{" "}
        is not online yet.
      </span>
      <Link to="/canvases/$id/deploy" params={{ id: draft.id }}>
        Add its files
      </Link>
    </p>
  );
}
