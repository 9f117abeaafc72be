import type { OpenApi, PathItem } from "./openapi.ts";

const REFERENCE = /"#\/components\/(\w+)\/([\w.-]+)"/g;

/** Returns the names of the components that a part of a document refers to, such as `schemas/Error`. */
const referencesIn = (part: unknown): string[] =>
  [...JSON.stringify(part).matchAll(REFERENCE)].map(([, kind = "", name = ""]) => `${kind}/${name}`);

/** Returns the components with which `paths` is complete: those that it refers to, and those that these refer to. */
function neededBy(paths: Record<string, PathItem>, { components }: OpenApi): OpenApi["components"] {
  const all = Object.entries(components) as [string, Record<string, unknown>][];
  const byName = new Map(
    all.flatMap(([kind, named]) => Object.entries(named).map(([name, each]) => [`${kind}/${name}`, each])),
  );
  const needed = new Set(referencesIn(paths));
  // A set also iterates over what is added meanwhile.
  for (const name of needed)
    for (const further of referencesIn(byName.get(name) ?? null)) needed.add(further);
  const kept = all.map(([kind, named]) => {
    const whole = kind === "securitySchemes";
    return [
      kind,
      Object.fromEntries(Object.entries(named).filter(([name]) => whole || needed.has(`${kind}/${name}`))),
    ];
  });
  return Object.fromEntries(kept) as OpenApi["components"];
}

/** Returns the part of a document with the paths that begin with `prefix`, and only the tags and components that these need. */
export function documentPart(document: OpenApi, prefix: string): OpenApi {
  const paths = Object.fromEntries(
    Object.entries(document.paths).filter(([path]) => path.startsWith(prefix)),
  );
  const used = new Set(
    Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags)),
  );
  const tags = document.tags.filter(({ name }) => used.has(name));
  return { ...document, tags, paths, components: neededBy(paths, document) };
}
