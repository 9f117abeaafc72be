import { Check, Copy as CopyIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, type ButtonLook } from "./Button.tsx";
import { copyText } from "./copy-text.ts";

/** The time for which the button shows that it has copied. */
const SHOWN_MS = 2_000;

/** A button that copies `text`. `what` names it in the label: "Copy the address". With `label`, the button has a visible text. */
export function Copy({
  text,
  what,
  label,
  look = "quiet",
}: {
  text: string;
  what: string;
  label?: string;
  look?: ButtonLook;
}) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await copyText(text, what)) setCopied(true);
  };
  const icon = isCopied ? <Check aria-hidden /> : <CopyIcon aria-hidden />;
  return label === undefined ? (
    <Button look={look} icon={icon} aria-label={`Copy the ${what}`} onPress={copy} />
  ) : (
    <Button look={look} icon={icon} onPress={copy}>
      {label}
    </Button>
  );
}
