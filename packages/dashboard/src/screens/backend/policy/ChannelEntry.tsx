import { AUDIENCES } from "@easel/protocol/policy";
import { Select } from "../../../kit/Select.tsx";
import type { EntryProps } from "./Entries.tsx";
import { ACTION_NAMES, ACTIONS, channelSentences, RIGHT_NAMES } from "./sentences.ts";

const CHOICES = AUDIENCES.map((audience) => ({ value: audience, label: RIGHT_NAMES[audience] }));

/** A channel: who receives and sends, and who is seen. */
export const ChannelEntry = ({ name, entry, onChange }: EntryProps<"channels">) => (
  <>
    <p>{channelSentences(entry).join(" ")}</p>
    <details>
      <summary>
        Single rights<span className="hidden-text"> of {name}</span>
      </summary>
      <div className="channel-rights">
        {ACTIONS.map((action) => (
          <Select
            key={action}
            label={ACTION_NAMES[action]}
            choices={CHOICES}
            value={entry[action]}
            isDisabled={onChange === null}
            onChange={(audience) => onChange?.({ ...entry, [action]: audience })}
          />
        ))}
      </div>
    </details>
  </>
);
