import { Globe, Lock, Users } from "lucide-react";
import { ACCESS_NAMES, type Access, CONSEQUENCES } from "../../canvas/general-access.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { type Choice, Select } from "../../kit/Select.tsx";
import type { Sharing } from "./useSharing.ts";

const ICONS = { private: Lock, whole_org: Users, public_link: Globe };
const ACCESSES = ["private", "whole_org", "public_link"] as const;

/** The last row of the list: who has access besides those on it. */
export function GeneralAccess({ sharing }: { sharing: Sharing }) {
  const { terms, organisation, impossible, failure, share } = sharing;
  const Icon = ICONS[terms.access];
  const choices = ACCESSES.map((access): Choice<Access> => {
    const refusal = impossible[access];
    return {
      value: access,
      label: ACCESS_NAMES[access],
      description: refusal ?? CONSEQUENCES[access](organisation),
      isDisabled: refusal !== undefined && access !== terms.access,
    };
  });
  return (
    <>
      <div className="access-row general">
        <span className="access-kind">
          <Icon aria-hidden />
        </span>
        <span className="names">
          <span>General access</span>
          <small className="soft">{CONSEQUENCES[terms.access](organisation)}</small>
        </span>
        <span className="acts">
          <Select
            label="General access"
            hideLabel
            choices={choices}
            value={terms.access}
            onChange={(access) => {
              if (access !== terms.access) share({ access }, "access");
            }}
          />
        </span>
      </div>
      {failure?.place === "access" ? <ErrorNote error={failure.error} /> : null}
      {Object.entries(impossible).map(([access, why]) => (
        <p key={access} className="note wait small">
          {ACCESS_NAMES[access as Access]} is not possible: {why}
        </p>
      ))}
    </>
  );
}
