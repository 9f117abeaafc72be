import { addressesIn } from "../../kit/addresses.ts";

/** Returns the address of the person whom a link proposes to share with. Null if its text is not one address. */
export function proposedIn(text: string | undefined): string | null {
  const { emails, faults } = addressesIn(text ?? "");
  return emails.length === 1 && faults.length === 0 ? (emails[0] ?? null) : null;
}
