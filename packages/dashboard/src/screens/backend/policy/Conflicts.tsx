import { Button } from "../../../kit/Button.tsx";
import { isolated } from "../../../kit/words.ts";
import type { Entry, Section } from "./document.ts";
import {
  channelSentences,
  connectionSentence,
  furtherSentencesOf,
  inPhase,
  sentencesOf,
} from "./sentences.ts";
import type { PolicyEditor } from "./usePolicy.ts";

/** The entries that both you and somebody else have changed: side by side, one to choose. */
export function Conflicts({ editor: { conflicts, decide, policy } }: { editor: PolicyEditor }) {
  if (conflicts.length === 0) return null;
  return (
    <div className="note wait conflicts" role="alert">
      <p>
        Somebody else has saved this policy meanwhile. Their other changes are in. These entries you have both
        changed:
      </p>
      {conflicts.map((conflict) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset has a layout of its own
        <div
          key={`${conflict.section} ${conflict.name}`}
          className="conflict"
          role="group"
          aria-label={conflict.name}
        >
          <h3>
            <bdi>{conflict.name}</bdi>
          </h3>
          {(["mine", "theirs"] as const).map((side) => (
            <div key={side} className="side">
              <strong>{side === "mine" ? "Yours" : "Theirs"}</strong>
              <Version section={conflict.section} entry={conflict[side]} />
              <Button
                isDisabled={policy === null}
                aria-label={`${side === "mine" ? "Keep mine" : "Take theirs"}: ${conflict.name}`}
                onPress={() => decide(conflict, side)}
              >
                {side === "mine" ? "Keep mine" : "Take theirs"}
              </Button>
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** An entry in sentences, and as it stands in the document. */
export function Version({ section, entry }: { section: Section; entry: Entry | undefined }) {
  if (entry === undefined) return <p>Removed.</p>;
  return (
    <>
      <p>{entrySentences(section, entry).join(" ")}</p>
      <pre className="mono">{JSON.stringify(entry, null, 2)}</pre>
    </>
  );
}

function entrySentences(section: Section, entry: Entry): string[] {
  if ("preset" in entry) {
    const thing = section === "collections" ? "records" : "files";
    const phases = Object.keys(entry.phases ?? {}).map(
      (phase) =>
        `While the phase “${isolated(phase)}” lasts: ${sentencesOf(inPhase(entry, phase), thing).join(" ")}`,
    );
    return [...sentencesOf(entry, thing), ...furtherSentencesOf(entry), ...phases];
  }
  return "subscribe" in entry ? channelSentences(entry) : [connectionSentence(entry)];
}
