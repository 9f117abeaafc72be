import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import type { AuditEntry, AuditFilter } from "../../../api/instance.ts";
import { throughOf } from "../../../canvas/through.ts";
import { Button } from "../../../kit/Button.tsx";
import { Copy } from "../../../kit/Copy.tsx";
import { FocusedHeading } from "../../../kit/FocusedHeading.tsx";
import { actorOf, isByShell, sentenceOf } from "./sentences.ts";

const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });

/** An entry of the audit log: as a sentence, as JSON, and filters for what is like it. Escape closes it. */
export function EntryDetails({
  entry,
  onFilter,
  onClose,
}: {
  entry: AuditEntry;
  onFilter: (filter: AuditFilter) => void;
  onClose: () => void;
}) {
  const json = JSON.stringify(entry, null, 2);
  const { actor, act, canvasId, canvasTitle, target, via } = entry;
  return (
    <section
      className="card stack audit-entry"
      aria-labelledby="entry"
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <div className="audit-entry-head">
        <FocusedHeading key={entry.id} id="entry">
          <bdi>{actorOf(entry)}</bdi>
          {throughOf(via)} <bdi>{sentenceOf(entry)}</bdi>
        </FocusedHeading>
        <Button look="quiet" icon={<X aria-hidden />} aria-label="Close the entry" onPress={onClose} />
      </div>
      <p className="soft">
        {exact.format(entry.at)}
        {entry.address === "" ? null : (
          <>
            , from <bdi>{entry.address}</bdi>
          </>
        )}
        {canvasId === null || canvasTitle === null ? null : (
          <>
            , on{" "}
            <Link to="/admin/canvases/$canvasId" params={{ canvasId }}>
              <bdi>{canvasTitle}</bdi>
            </Link>
          </>
        )}
      </p>
      <div className="row">
        <Button onPress={() => onFilter({ actor: actor.email })}>
          {isByShell(entry) ? "All from the shell" : "All by this person"}
        </Button>
        <Button onPress={() => onFilter({ act })}>All of this act</Button>
        {canvasId === null ? null : (
          <Button onPress={() => onFilter({ canvas: canvasId })}>All on this canvas</Button>
        )}
        {target === null ? null : <Button onPress={() => onFilter({ target })}>All on this object</Button>}
        {via === null ? null : (
          <Button onPress={() => onFilter({ client: via.client })}>All through this program</Button>
        )}
        <Copy text={json} what="entry" label="Copy as JSON" look="plain" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must scroll by the keyboard, too */}
      <section className="audit-json" tabIndex={0} aria-label="The entry as JSON">
        <pre className="mono">{json}</pre>
      </section>
    </section>
  );
}
