import { useQuery } from "@tanstack/react-query";
import { instanceConfigQuery } from "../../../api/instance.ts";

/** Says that organisations have no effect while the service does not use them. */
export function TenancyNote() {
  const { data: settings } = useQuery(instanceConfigQuery);
  const value = settings?.find(({ name }) => name === "SERVICE_TENANCY")?.value;
  return value === "off" ? (
    <p className="note wait tenancy-note">
      <span>
        Organisations have no effect now: <code>SERVICE_TENANCY</code> is off, so everyone on this instance
        counts as one organisation. The operator of the service can switch it on.
      </span>
    </p>
  ) : null;
}
