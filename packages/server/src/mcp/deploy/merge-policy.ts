import type { RuntimePolicy } from "@easel/protocol/policy";

/** A policy document, or changes of one, that no schema has checked yet. */
export type Document = Record<string, unknown>;

const isObject = (value: unknown): value is Document =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the fields of `to` with those of `changes` in their place. A field that is null is removed. */
const withFields = (to: Document, changes: Document): Document =>
  Object.fromEntries(
    [...new Map([...Object.entries(to), ...Object.entries(changes)])].filter(([, value]) => value !== null),
  );

/**
 * Applies changes to a policy document: each entry of a section, such as a collection, replaces the entry with its name, and null removes an
 * entry or a whole section. What the changes lack stays.
 */
export function mergePolicy(stored: RuntimePolicy | null, changes: Document): Document {
  const before = { ...stored } as Document;
  const sections = Object.entries(changes).map(([name, section]) => {
    const known = before[name];
    return [name, isObject(section) ? withFields(isObject(known) ? known : {}, section) : section] as const;
  });
  return withFields(before, Object.fromEntries(sections));
}

/** Returns in words which entries of a policy differ between two documents, such as `collections.tasks`, or `defaultMode`. */
export function policyChanges(before: RuntimePolicy | null, after: RuntimePolicy | null): string[] {
  const flat = (policy: RuntimePolicy | null) =>
    new Map(
      Object.entries(policy ?? {}).flatMap(([section, value]) =>
        isObject(value)
          ? Object.entries(value).map(
              ([name, entry]) => [`${section}.${name}`, JSON.stringify(entry)] as const,
            )
          : [[section, JSON.stringify(value)] as const],
      ),
    );
  const [old, now] = [flat(before), flat(after)];
  return [
    ...[...now].filter(([name, text]) => old.get(name) !== text).map(([name]) => `policy: ${name}`),
    ...[...old.keys()].filter((name) => !now.has(name)).map((name) => `policy: ${name} removed`),
  ];
}
