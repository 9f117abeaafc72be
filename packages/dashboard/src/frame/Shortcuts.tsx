import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { keyReader } from "./keys.ts";
import { onOpenPalette } from "./open-palette.ts";
import { readPreference } from "./preferences.ts";

const Palette = lazy(async () => ({ default: (await import("./Palette.tsx")).Palette }));
const KeyList = lazy(async () => ({ default: (await import("./KeyList.tsx")).KeyList }));

/** Whether a key belongs to what has the focus: a field, or a list whose entries are found by typing. */
function isTaken(event: KeyboardEvent): boolean {
  // Of a field in a shadow root, `target` is the element that the root belongs to.
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest(
        "input, textarea, select, [role=menu], [role=listbox], [role=dialog], [role=alertdialog]",
      ) !== null)
  );
}

/** The shortcuts of the dashboard, with the palette and the list of keys, which they open. Single keys can be turned off in the account. */
export function Shortcuts() {
  const router = useRouter();
  const [shown, show] = useState<"palette" | "keys" | null>(null);

  useEffect(() => onOpenPalette(() => show("palette")), []);
  useEffect(() => {
    const read = keyReader();
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, timeStamp, defaultPrevented } = event;
      if (defaultPrevented || event.isComposing) return;
      if (key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey && !event.shiftKey) {
        event.preventDefault();
        // Over another dialog, the palette would take away what is typed there.
        if (document.querySelector("[role=dialog], [role=alertdialog]") === null) show("palette");
        return;
      }
      if (ctrlKey || metaKey || altKey || isTaken(event)) return;
      if (readPreference("keys", ["on", "off"]) === "off") return;
      const act = read(key, timeStamp);
      if (act === null) return;
      if (act.act === "keys") show("keys");
      if (act.act === "go") void router.navigate({ to: act.to });
      if (act.act === "search") {
        const field = document.querySelector<HTMLElement>("main input[type=search]");
        if (field === null) show("palette");
        else field.focus();
      }
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [router]);

  const close = () => show(null);
  return (
    <Suspense>
      {shown === "palette" ? <Palette onClose={close} /> : null}
      {shown === "keys" ? <KeyList onClose={close} /> : null}
    </Suspense>
  );
}
