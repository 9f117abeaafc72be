/** The parts of JSON Schema that zod uses for requests and responses. */
export interface JsonSchema {
  $ref?: string;
  /** The name of the schema, which zod adds to definitions. */
  id?: string;
  description?: string;
  deprecated?: boolean;
  const?: unknown;
  default?: unknown;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | false;
  propertyNames?: JsonSchema;
  required?: string[];
  /** Further keywords, which limit the values. */
  [keyword: string]: unknown;
}

const alternatives = (all: string[]): string => [...new Set(all)].join(" | ");

function fieldsOf({ properties = {}, required = [] }: JsonSchema, shape: (schema: JsonSchema) => string) {
  return Object.entries(properties).map(([name, schema]) => {
    const type = shape(schema);
    return `${isIdentifier(name) ? name : JSON.stringify(name)}${required.includes(name) ? "" : "?"}${type === "" ? "" : `: ${type}`}`;
  });
}

/** Returns the type that a schema describes, on one line in TypeScript notation. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, type, items, properties, additionalProperties, propertyNames } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return alternatives(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.anyOf !== undefined) return alternatives(schema.anyOf.map(typeOf));
  if (Array.isArray(type)) return alternatives(type);
  if (items !== undefined) return items.enum || items.anyOf ? `(${typeOf(items)})[]` : `${typeOf(items)}[]`;
  if (properties !== undefined) return `{ ${fieldsOf(schema, typeOf).join("; ")} }`;
  if (additionalProperties) {
    const record = `Record<${typeOf(propertyNames ?? { type: "string" })}, ${typeOf(additionalProperties)}>`;
    return propertyNames?.enum === undefined || schema.required ? record : `Partial<${record}>`;
  }
  return type === "integer" ? "number" : (type ?? "Json");
}

/** Returns an object type in TypeScript notation, with one field per line. */
export const blockOf = (schema: JsonSchema): string =>
  ["{", ...fieldsOf(schema, typeOf).map((field) => `  ${field};`), "}"].join("\n");

/** Whether a field can be written without quotes. */
const isIdentifier = (name: string): boolean => /^[\p{L}_$][\p{L}\d_$]*$/u.test(name);

/** Returns the field names of an object without their types, such as `{ title, owner: { id } }`. */
export function outlineOf(schema: JsonSchema): string {
  const { anyOf = [], items, properties } = schema;
  if (properties !== undefined) return `{ ${fieldsOf(schema, outlineOf).join(", ")} }`;
  if (items !== undefined) return outlineOf(items) === "" ? "" : `[${outlineOf(items)}]`;
  return alternatives(anyOf.map(outlineOf).filter((each) => each !== ""));
}

/**
 * Returns the type name at the end of a `$ref`. A name that begins with `__` becomes `Json`, because zod generates such names for
 * `z.json()`.
 */
export function nameOf($ref: string): string {
  const name = $ref.split("/").at(-1) ?? "";
  return name.startsWith("__") ? "Json" : name;
}
