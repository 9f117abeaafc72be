const EMAIL = /^[^\s\p{Cc}\p{Cf}\p{Cs}@,;<>"]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/u;

/**
 * Normalizes an e-mail address to lower case. Returns null if the address is malformed or its domain is not allowed. An empty list allows
 * all domains.
 */
export function normalEmail(given: string, allowedDomains: string[] = []): string | null {
  // Converts ASCII letters only. The lower case of some other letters is an ASCII letter, so converting them could result in the address of
  // another person.
  const email = given.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (email.length > 254 || !EMAIL.test(email)) return null;
  const allowed =
    allowedDomains.length === 0 || allowedDomains.some((each) => each.toLowerCase() === domainOf(email));
  return allowed ? email : null;
}

/** Returns the domain of a normalized address. */
export const domainOf = (email: string): string => email.slice(email.indexOf("@") + 1);

/** Derives a default name for a user from an e-mail address, such as "Ada Lovelace" from `ada.lovelace@example.com`. */
export function nameOf(email: string): string {
  return email
    .slice(0, email.indexOf("@"))
    .split(/[._+-]+/)
    .filter((part) => part !== "")
    .map((part) => part[0]?.toUpperCase() + part.slice(1))
    .join(" ");
}
