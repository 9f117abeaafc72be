import "./places.css";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";

/** Links to the screens of one thing, in a line. Where the line is too long, the link to the open screen is scrolled into view. */
export function Places({
  label,
  className = "",
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  const line = useRef<HTMLElement>(null);
  const place = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen is another link
  useEffect(() => {
    const link = line.current?.querySelector<HTMLElement>("[aria-current]");
    if (!line.current || !link) return;
    line.current.scrollLeft =
      link.offsetLeft - line.current.offsetLeft - (line.current.clientWidth - link.offsetWidth) / 2;
  }, [place]);
  return (
    <nav ref={line} className={`places ${className}`} aria-label={label}>
      {children}
    </nav>
  );
}
