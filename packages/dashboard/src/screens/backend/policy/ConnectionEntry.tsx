import { AUDIENCES, CONNECTION_METHODS } from "@easel/protocol/policy";
import { useQuery } from "@tanstack/react-query";
import { Select } from "../../../kit/Select.tsx";
import { Toggle } from "../../../kit/Toggle.tsx";
import { connectionsQuery } from "../Connections.tsx";
import { Disclosure } from "./Disclosure.tsx";
import type { EntryProps } from "./Entries.tsx";
import { connectionSentence, RIGHT_NAMES } from "./sentences.ts";

const CHOICES = AUDIENCES.map((audience) => ({ value: audience, label: RIGHT_NAMES[audience] }));

/** A Connection: who sends requests, and by which methods. */
export function ConnectionEntry({
  canvasId,
  name,
  entry,
  onChange,
}: EntryProps<"connections"> & { canvasId: string }) {
  const { data: granted } = useQuery(connectionsQuery(canvasId));
  const { methods } = entry;
  const all = methods === undefined;
  return (
    <>
      <p>{connectionSentence(entry)}</p>
      {granted !== undefined && !granted.some(({ profile }) => profile === name) ? (
        <p className="small soft">
          It is not granted to this canvas: calls are refused until an administrator grants it.
        </p>
      ) : null}
      <Disclosure summary="Single rights" of={name}>
        {() => (
          <div className="stack">
            <Select
              label="Who uses it"
              choices={CHOICES}
              value={entry.audience}
              isDisabled={onChange === null}
              onChange={(audience) => onChange?.({ ...entry, audience })}
            />
            <Toggle
              isSelected={all}
              isDisabled={onChange === null}
              onChange={(to) => {
                const { methods: _, ...rest } = entry;
                onChange?.(to ? rest : { ...rest, methods: ["GET"] });
              }}
            >
              All methods that the administrator allows
            </Toggle>
            {all ? null : (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset has a layout of its own
              <div className="row" role="group" aria-label={`Methods of ${name}`}>
                {CONNECTION_METHODS.map((method) => (
                  <Toggle
                    key={method}
                    isSelected={methods.includes(method)}
                    isDisabled={onChange === null}
                    onChange={(to) =>
                      onChange?.({
                        ...entry,
                        methods: to ? [...methods, method] : methods.filter((each) => each !== method),
                      })
                    }
                  >
                    {method}
                  </Toggle>
                ))}
              </div>
            )}
          </div>
        )}
      </Disclosure>
    </>
  );
}
