import { AUDIENCES } from "@easel/protocol/policy";
import { Select } from "../../../kit/Select.tsx";
import { Disclosure } from "./Disclosure.tsx";
import type { EntryProps } from "./Entries.tsx";
import { ACTION_NAMES, ACTIONS, channelSentences, RIGHT_NAMES } from "./sentences.ts";

const CHOICES = AUDIENCES.map((audience) => ({ value: audience, label: RIGHT_NAMES[audience] }));

/** A channel: who receives and sends, and who is seen. */
export const ChannelEntry = ({ name, entry, onChange }: EntryProps<"channels">) => (
  <>
    <p>{channelSentences(entry).join(" ")}</p>
    <Disclosure summary="Single rights" of={name}>
      {() => (
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
      )}
    </Disclosure>
  </>
);
