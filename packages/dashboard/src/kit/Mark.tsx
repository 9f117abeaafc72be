import "./mark.css";
import { type CSSProperties, useState } from "react";

/** Returns the first letters of the first two words of a title, in upper case. Letters are graphemes, so that accents stay. */
export function initialsOf(title: string): string {
  const words = title.trim().split(/\s+/).slice(0, 2);
  const letters = words.map((word) => [...new Intl.Segmenter().segment(word)][0]?.segment ?? "");
  return letters.join("").toLocaleUpperCase() || "·";
}

/** Returns a hue in degrees, from 0 to 359, that is always the same for an id. */
export function hueOf(id: string): number {
  let sum = 7;
  for (const unit of id) sum = (sum * 31 + (unit.codePointAt(0) as number)) % 9973;
  return sum % 360;
}

/** The mark of a canvas: its initials on a colour of its own, or `icon`, the address of an image. An image that cannot be shown is left out. */
export function Mark({
  id,
  title,
  size = "2.5rem",
  icon = null,
}: {
  id: string;
  title: string;
  size?: string;
  icon?: string | null;
}) {
  const [faulty, setFaulty] = useState<string | null>(null);
  return (
    <span className="mark" aria-hidden style={{ "--hue": hueOf(id), "--size": size } as CSSProperties}>
      {icon === null || icon === faulty ? (
        initialsOf(title)
      ) : (
        <img src={icon} alt="" onError={() => setFaulty(icon)} />
      )}
    </span>
  );
}
