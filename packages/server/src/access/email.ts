const EMAIL = /^[^\s\p{Cc}\p{Cf}\p{Cs}@,;<>"]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/u;

/** Normalizes an e-mail address to lower case; null when it is malformed or outside the allowed domains. */
export function normalEmail(given: string, allowedDomains: string[] = []): string | null {
  // Only ASCII letters: some others have a lower case that belongs to a different address.
  const email = given.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (email.length > 254 || !EMAIL.test(email)) return null;
  const allowed =
    allowedDomains.length === 0 || allowedDomains.some((each) => each.toLowerCase() === domainOf(email));
  return allowed ? email : null;
}

/** Returns the domain of a normalized address. */
export const domainOf = (email: string): string => email.slice(email.indexOf("@") + 1);

/** Derives a default name from an address: Ada Lovelace from `ada.lovelace@example.com`. */
export function nameOf(email: string): string {
  return email
    .slice(0, email.indexOf("@"))
    .split(/[._+-]+/)
    .filter((part) => part !== "")
    .map((part) => part[0]?.toUpperCase() + part.slice(1))
    .join(" ");
}
