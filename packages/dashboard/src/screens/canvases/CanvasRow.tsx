import { Link } from "@tanstack/react-router";
import { Check, Trash2 } from "lucide-react";
import type { ListedCanvas } from "../../api/types.ts";
import { Audience } from "../../canvas/Audience.tsx";
import { shortAddress } from "../../canvas/address.ts";
import { stateOf } from "../../canvas/state.ts";
import { Badge } from "../../kit/Badge.tsx";
import { Button } from "../../kit/Button.tsx";
import { Mark } from "../../kit/Mark.tsx";
import { Time } from "../../kit/Time.tsx";
import { countOf } from "../../kit/words.ts";

interface RowProps {
  canvas: ListedCanvas;
  isActive: boolean;
  isSelected: boolean;
  /** Absent for a canvas that cannot be selected. */
  onSelect: ((isRange: boolean) => void) | undefined;
}

/** The mark of a canvas, in whose corner it is selected by pointer. The keyboard has Space on the row. */
const SelectMark = ({ canvas: { id, title }, isSelected, onSelect }: RowProps) => (
  <span className="select-mark">
    <Mark id={id} title={title} />
    {onSelect === undefined ? null : (
      // biome-ignore lint/a11y/useSemanticElements: an input of the browser does not know of ranges
      <button
        type="button"
        role="checkbox"
        aria-checked={isSelected}
        aria-label={`Select ${title}`}
        tabIndex={-1}
        className="check"
        onClick={(event) => onSelect(event.shiftKey)}
      >
        <span className="box">
          <Check aria-hidden />
        </span>
      </button>
    )}
  </span>
);

const Tags = ({ tags }: { tags: string[] }) =>
  tags.length === 0 ? null : (
    <small className="soft tags">
      {tags.slice(0, 3).map((tag) => (
        <bdi key={tag}>#{tag}</bdi>
      ))}
      {tags.length > 3 ? <span>+{tags.length - 3}</span> : null}
    </small>
  );

/** A canvas in a list: what it is, where it is, who may open it, its state, when it changed and how it is used. */
export function CanvasRow(props: RowProps) {
  const { canvas } = props;
  const { id, title, slug, url, publicationStatus, tags, owner, viewerRole, updatedAt } = canvas;
  const state = stateOf(canvas);
  return (
    <>
      <SelectMark {...props} />
      <span className="names">
        <Link to="/canvases/$id" params={{ id }} tabIndex={-1} className="title">
          <bdi>{title}</bdi>
        </Link>
        <span className="second">
          <small className="soft">
            <bdi>{publicationStatus === "published" ? shortAddress(url) : slug}</bdi>
          </small>
          {viewerRole === "owner" ? null : (
            <small className="soft">
              by <bdi>{owner.name}</bdi>
            </small>
          )}
          <Tags tags={tags} />
        </span>
      </span>
      <small className="soft who">
        <Audience canvas={canvas} />
      </small>
      <Badge look={state.look}>{state.text}</Badge>
      <small className="soft when">
        <span className="changed">
          Changed <Time at={updatedAt} />
        </span>
        <Use canvas={canvas} />
      </small>
    </>
  );
}

/** When a canvas was last opened, and by how many people. Nothing for viewers, and where the service does not count it. */
function Use({ canvas: { lastUsedAt, people30, publicationStatus } }: { canvas: ListedCanvas }) {
  if (people30 === null) return null;
  if (lastUsedAt === null)
    return publicationStatus === "draft" ? null : <span className="use">Not opened yet</span>;
  return (
    <span className="use" title="Different people in the last 30 days">
      Used <Time at={lastUsedAt} />
      {people30 === 0 ? null : (
        <>
          {" · "}
          {countOf(people30, "person", "people")}
          <span className="hidden-text"> in 30 days</span>
        </>
      )}
    </span>
  );
}

const DAY_MS = 86_400_000;

/** A canvas in the trash: until when it can be restored. */
export function TrashRow({
  onRestore,
  onPurge,
  ...props
}: RowProps & { onRestore: () => void; onPurge: () => void }) {
  const { title, slug, deletedAt, purgeAt, publicationStatus } = props.canvas;
  const days = purgeAt === undefined ? null : Math.max(0, Math.ceil((purgeAt - Date.now()) / DAY_MS));
  return (
    <>
      <SelectMark {...props} />
      <span className="names">
        <strong className="title">
          <bdi>{title}</bdi>
        </strong>
        <span className="second">
          <small className="soft">
            <bdi>{slug}</bdi>
          </small>
        </span>
      </span>
      <small className="soft who">
        {deletedAt === undefined ? null : (
          <span>
            Deleted <Time at={deletedAt} />
          </span>
        )}
      </small>
      {days === null ? (
        <span />
      ) : (
        <Badge look={days < 4 ? "bad" : "plain"}>{countOf(days, "day")} left</Badge>
      )}
      <span className="trash-acts">
        <Button excludeFromTabOrder={!props.isActive} aria-label={`Restore ${title}`} onPress={onRestore}>
          Restore
        </Button>
        {/* What an administrator has disabled, they alone restore or let end. */}
        {publicationStatus === "disabled" ? null : (
          <Button
            look="quiet"
            icon={<Trash2 aria-hidden />}
            excludeFromTabOrder={!props.isActive}
            aria-label={`Delete ${title} for good`}
            onPress={onPurge}
          />
        )}
      </span>
    </>
  );
}
