import type { Json } from "@easel/protocol/types";
import type { CollectionRecord } from "@easel/sdk";
import type { ReactNode } from "react";
import { Button } from "../../../kit/Button.tsx";
import { Time } from "../../../kit/Time.tsx";
import { cellText } from "./columns.ts";
import { differences } from "./form.ts";

/** The most fields whose difference is shown. */
const SHOWN = 8;

/** Says that somebody has changed or deleted a record meanwhile, and in what the two versions differ. The person chooses. */
export function Conflict({
  theirs,
  mine,
  isDirty,
  who,
  onKeep,
  onTake,
}: {
  theirs: CollectionRecord | "deleted";
  /** Undefined if what was typed is no value yet. */
  mine: Json | undefined;
  isDirty: boolean;
  /** The person who changed it, if only one person can have. */
  who: ReactNode;
  onKeep: () => void;
  onTake: () => void;
}) {
  if (theirs === "deleted")
    return (
      <div className="note wait" role="alert">
        <p>This record was deleted{isDirty ? ". What you typed is still here." : "."}</p>
        <p className="row">
          {isDirty ? <Button onPress={onKeep}>Keep mine as a new record</Button> : null}
          <Button onPress={onTake}>Close</Button>
        </p>
      </div>
    );
  const different = mine === undefined ? null : differences(mine, theirs.value);
  return (
    <div className="note wait" role="alert">
      <p>
        {who === null ? "Somebody" : who} changed this <Time at={theirs.updatedAt} />, and you have changed
        it, too.
      </p>
      {different === null ? null : (
        <dl className="differences small">
          {different.slice(0, SHOWN).map(({ name, mine, theirs }) => (
            <div key={name}>
              <dt>
                <bdi>{name}</bdi>
              </dt>
              <dd>
                yours <Shown value={mine} />, theirs <Shown value={theirs} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p className="row">
        <Button onPress={onKeep} isDisabled={mine === undefined}>
          Keep mine
        </Button>
        <Button onPress={onTake}>Take theirs</Button>
      </p>
    </div>
  );
}

const Shown = ({ value }: { value: Json | undefined }) =>
  value === undefined ? <i>nothing</i> : <bdi className="mono">{cellText(value, true)}</bdi>;
