import { useQuery } from "@tanstack/react-query";
import { User } from "lucide-react";
import type { ReactNode } from "react";
import { foundPeopleQuery } from "../../../api/admin.ts";
import { ComboBox, type Proposal } from "../../../kit/ComboBox.tsx";
import { useSettled } from "../../../kit/useSettled.ts";

/** A field for the e-mail address of a member, with proposals: those that are given first, then people who are found by name or address. */
export function PersonComboBox({
  label,
  description,
  error,
  first = [],
  without = [],
  text,
  onText,
  onEnter,
}: {
  label: string;
  description?: ReactNode;
  error?: string | null;
  /** People to propose before all others, and why. */
  first?: readonly { email: string; why: string }[];
  /** The addresses of people who are not proposed. */
  without?: readonly string[];
  text: string;
  onText: (text: string) => void;
  onEnter: () => void;
}) {
  const typed = text.trim().toLowerCase();
  const { data: found = [] } = useQuery(foundPeopleQuery(useSettled(typed)));
  const known = new Set([...without, ...first.map(({ email }) => email)]);
  const proposals: Proposal[] = [
    ...first
      .filter(({ email }) => email.includes(typed) || known.has(typed))
      .map(({ email, why }) => ({ id: email, label: email, description: why, icon: <User aria-hidden /> })),
    ...(typed === "" ? [] : found)
      .filter(({ email }) => !known.has(email))
      .map(({ email, name }) => ({ id: email, label: email, description: name, icon: <User aria-hidden /> })),
  ];
  return (
    <ComboBox
      label={label}
      description={description}
      error={error ?? null}
      placeholder="Name or e-mail address"
      proposals={proposals}
      opensOnFocus
      text={text}
      onText={onText}
      chosen={proposals.some(({ id }) => id === text) ? text : null}
      onChoose={onText}
      onEnter={onEnter}
    />
  );
}
