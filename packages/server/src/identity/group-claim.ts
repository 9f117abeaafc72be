/** The most groups of a person that count, and the greatest length of a name. More than a provider sends. */
const MAX_GROUPS = 2_000;
const MAX_LENGTH = 500;

/** The claims of an ID token, of userinfo, or of the signed token of a proxy. */
type Claims = Readonly<Record<string, unknown>>;

/** Returns the value of the claim with a name, or else the value at the end of a path such as `realm_access.roles`. */
function valueAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split(".")
    .reduce<unknown>(
      (value, part) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, part)
          ? (value as Claims)[part]
          : undefined,
      claims,
    );
}

/**
 * Whether a provider has sent a pointer to the groups instead of their names: Entra ID does so for people in more than 200, in `_claim_names`
 * or, in some tokens, as `hasgroups`.
 */
const pointsElsewhere = (claims: Claims, name: string): boolean => {
  const { _claim_names: names, hasgroups } = claims;
  const isDistributed = typeof names === "object" && names !== null && Object.hasOwn(names, name);
  return isDistributed || hasgroups === true || hasgroups === "true";
};

/**
 * Reads the groups of a person from a claim: a list of names, or a single one. Returns "elsewhere" if there are too many for the provider to
 * send, and undefined if there is no such claim. Values that are no names are left out.
 */
export function groupsIn(claims: Claims, name: string): string[] | "elsewhere" | undefined {
  const value = valueAt(claims, name);
  if (value === undefined || value === null) return pointsElsewhere(claims, name) ? "elsewhere" : undefined;
  const names = (Array.isArray(value) ? value : [value]).filter(
    (each): each is string =>
      typeof each === "string" && each !== "" && each.length <= MAX_LENGTH && !/\p{Cc}|\p{Cs}/u.test(each),
  );
  return [...new Set(names)].sort().slice(0, MAX_GROUPS);
}
