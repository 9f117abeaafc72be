import { Building2, Globe, Lock, Users } from "lucide-react";
import type { Canvas } from "../api/types.ts";
import { audienceOf } from "./state.ts";

const iconOf = ({ access, audienceSummary: { count } }: Canvas) => {
  if (access === "public_link") return Globe;
  if (access === "whole_org") return Building2;
  return count === 0 ? Lock : Users;
};

/** Who may open a canvas, as an icon and in a few words. */
export function Audience({ canvas }: { canvas: Canvas }) {
  const Icon = iconOf(canvas);
  return (
    <span className="audience">
      <Icon aria-hidden />
      <span>{audienceOf(canvas)}</span>
    </span>
  );
}
