import "./toasts.css";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../kit/Button.tsx";
import { dismiss, act as perform, SHOWN_MS, type Toast, useToasts } from "../kit/toasts.ts";

/** The region of short messages, which screen readers read as they appear. */
export function Toasts() {
  const [isHeld, setHeld] = useState(false);
  const hold = () => setHeld(true);
  const release = () => setHeld(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handlers only keep messages from going
    <div
      className="toasts"
      data-react-aria-top-layer
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      <div role="status">
        {useToasts().map((each) => (
          <ToastLine key={each.id} {...each} isHeld={isHeld} />
        ))}
      </div>
    </div>
  );
}

function ToastLine({ id, text, act, isHeld }: Toast & { id: number; isHeld: boolean }) {
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    <div className="toast">
      <p>{text}</p>
      {act === undefined ? null : <Button onPress={() => perform(id)}>{act.label}</Button>}
      <Button
        look="quiet"
        icon={<X aria-hidden />}
        aria-label="Dismiss the message"
        onPress={() => dismiss(id)}
      />
    </div>
  );
}
