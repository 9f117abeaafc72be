import { ExternalLink } from "lucide-react";
import type { Canvas } from "../api/types.ts";
import { ButtonAnchor, type ButtonLook } from "../kit/Button.tsx";

/** A link that opens the page of a canvas in a tab of its own. */
export const OpenLink = ({ canvas, look = "plain" }: { canvas: Canvas; look?: ButtonLook }) => (
  <ButtonAnchor
    href={canvas.url}
    target="_blank"
    rel="noopener"
    look={look}
    icon={<ExternalLink aria-hidden />}
  >
    Open
  </ButtonAnchor>
);
