import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type ConfigSetting, changeSettings } from "../../../api/instance.ts";
import { Button } from "../../../kit/Button.tsx";
import { Dialog } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { Toggle } from "../../../kit/Toggle.tsx";
import { toast } from "../../../kit/toasts.ts";
import { nameOf } from "./names.ts";
import { editedText, patchOf, type SettingValue, valueIn, wordsOf } from "./values.ts";

/** Changes one setting of the instance, or restores its default. */
export function ChangeSetting({ setting, onClose }: { setting: ConfigSetting; onClose: () => void }) {
  const key = setting.key ?? "";
  const { label, about, kind } = nameOf(key);
  const [text, setText] = useState(editedText(kind, setting.value));
  const [isOn, setOn] = useState(setting.value === "on");
  const [fault, setFault] = useState<string | null>(null);
  const change = useMutation({
    mutationFn: (value: SettingValue | null) => changeSettings(patchOf(key, value)),
    onSuccess() {
      toast({ text: `Changed: ${label}` });
      onClose();
    },
  });
  const save = () => {
    if (kind === "switch") return change.mutate(isOn);
    const found = valueIn(kind, text);
    if ("fault" in found) return setFault(found.fault);
    change.mutate(found.value);
  };
  const fallback = wordsOf(kind, setting.fallback.replaceAll("`", ""));
  return (
    <Dialog title={label} isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {kind === "switch" ? (
          <Toggle isSelected={isOn} onChange={setOn} description={about}>
            Allowed
          </Toggle>
        ) : (
          <TextField
            label={
              kind === "dollars"
                ? "US dollars"
                : kind === "names"
                  ? "Models"
                  : kind === "bytes"
                    ? "Size"
                    : "Number"
            }
            value={text}
            onChange={(to) => {
              setText(to);
              setFault(null);
            }}
            error={fault}
            description={`${about} ${fallback === "" ? "There is no default." : `The default is ${fallback}.`}`.trim()}
            autoFocus
            {...(kind === "names" ? { lines: 4 } : {})}
          />
        )}
        {change.error === null ? null : <ErrorNote error={change.error} />}
        <div className="dialog-acts">
          {setting.source === "instance" ? (
            <Button look="quiet" isPending={change.isPending} onPress={() => change.mutate(null)}>
              Use the default
            </Button>
          ) : null}
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isPending={change.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
