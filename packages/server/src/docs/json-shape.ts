/** The parts of a JSON Schema that zod writes for the schemas of acts. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | false;
  propertyNames?: JsonSchema;
  required?: string[];
}

const alternatives = (all: string[]): string => [...new Set(all)].join(" | ");

function fieldsOf({ properties = {}, required = [] }: JsonSchema, shape: (schema: JsonSchema) => string) {
  return Object.entries(properties).map(([name, schema]) => {
    const type = shape(schema);
    return `${name}${required.includes(name) ? "" : "?"}${type === "" ? "" : `: ${type}`}`;
  });
}

/** Writes a type on one line in the notation of TypeScript. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, type, items, properties, additionalProperties, propertyNames } = schema;
  if ($ref !== undefined) return nameOf($ref);
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

/** Writes an object type with one field a line. */
export const blockOf = (schema: JsonSchema): string =>
  ["{", ...fieldsOf(schema, typeOf).map((field) => `  ${field};`), "}"].join("\n");

/** Writes the field names of an object, and those of the objects in it. */
export function outlineOf(schema: JsonSchema): string {
  const { anyOf = [], items, properties } = schema;
  if (properties !== undefined) return `{ ${fieldsOf(schema, outlineOf).join(", ")} }`;
  if (items !== undefined) return outlineOf(items) === "" ? "" : `[${outlineOf(items)}]`;
  return alternatives(anyOf.map(outlineOf).filter((each) => each !== ""));
}

/** Returns the name that a reference points to; zod's own names stand for recursive JSON. */
export function nameOf($ref: string): string {
  const name = $ref.split("/").at(-1) ?? "";
  return name.startsWith("__") ? "Json" : name;
}
