const EMAIL = /^[^\s\p{Cc}\p{Cf}\p{Cs}@,;<>"]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/u;

/** An address as it is kept and compared: lower case. Null when it is none, or outside the allowed domains. */
export function normalEmail(given: string, allowedDomains: string[] = []): string | null {
  // Only ASCII letters change: other letters would turn into those of somebody else's address.
  const email = given.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (email.length > 254 || !EMAIL.test(email)) return null;
  const allowed =
    allowedDomains.length === 0 || allowedDomains.some((each) => each.toLowerCase() === domainOf(email));
  return allowed ? email : null;
}

/** The domain of a normal address. */
export const domainOf = (email: string): string => email.slice(email.indexOf("@") + 1);

/** `ada.lovelace@example.com` is called Ada Lovelace until someone says otherwise. */
export function nameOf(email: string): string {
  return email
    .slice(0, email.indexOf("@"))
    .split(/[._+-]+/)
    .filter((part) => part !== "")
    .map((part) => part[0]?.toUpperCase() + part.slice(1))
    .join(" ");
}
