import { type ZodType, z } from "zod";
import type { JsonSchema } from "./json-shape.ts";

/** The prefix of references to named schemas. */
const COMPONENTS = "#/components/schemas/";

/** The name of the schema that every JSON value fits. */
const ANY = "Json";

/** Returns whether zod has generated the name of a definition. It does so only for `z.json()`, which refers to itself. */
const isGenerated = (name: string) => name.startsWith("__");

type Override = NonNullable<z.core.JSONSchemaGeneratorParams["override"]>;

/** Deletes the minimum and the maximum that zod adds to every integer: the limits of safe integers in JavaScript. */
const withoutSafeBounds: Override = ({ jsonSchema }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** Converts zod schemas to the schemas of an OpenAPI document, and collects those that have a name. */
export class Schemas {
  /** The schemas with names, in order of their first use. */
  readonly named: Record<string, JsonSchema> = {};
  /** The names of the schemas that occur in requests. These may reject unknown fields; schemas of responses alone never do. */
  readonly #ofRequests = new Set<string>();

  /** Converts the schema of a request body or of query parameters. Unknown fields are rejected where the schema rejects them. */
  request(schema: ZodType): JsonSchema {
    return this.#convert(schema, "input");
  }

  /** Converts the schema of a response. Further fields are allowed, because later versions of the service may add some. */
  response(schema: ZodType): JsonSchema {
    return this.#convert(schema, "output");
  }

  #convert(schema: ZodType, io: "input" | "output"): JsonSchema {
    // The schema is converted as a field, because a reference to the root would not be valid in the document.
    const { properties = {}, $defs = {} } = z.toJSONSchema(z.object({ body: schema }), {
      io,
      unrepresentable: "any",
      override: withoutSafeBounds,
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, definition] of Object.entries($defs)) {
      if (isGenerated(name)) continue;
      if (io === "input") this.#ofRequests.add(name);
      this.named[name] ??= this.#tidy(definition, this.#ofRequests.has(name));
    }
    return this.#tidy(properties.body ?? {}, io === "input");
  }

  /**
   * Converts the JSON Schema that zod has built to the form of the document. Points references to `#/components/schemas/`, and lists each
   * field of a record that has fixed names. Allows unknown fields unless `isClosed`.
   */
  #tidy(schema: JsonSchema, isClosed: boolean): JsonSchema {
    const tidy = (part: JsonSchema) => this.#tidy(part, isClosed);
    const { $ref, id: _, anyOf, items, properties, additionalProperties, propertyNames, ...rest } = schema;
    if ($ref !== undefined) return { ...rest, $ref: this.#reference($ref) };
    const tidied: JsonSchema = rest;
    if (anyOf !== undefined) tidied.anyOf = anyOf.map(tidy);
    if (items !== undefined) tidied.items = tidy(items);
    if (properties !== undefined) tidied.properties = mapValues(properties, tidy);
    if (propertyNames?.enum !== undefined && additionalProperties) {
      const field = tidy(additionalProperties);
      tidied.properties = Object.fromEntries(propertyNames.enum.map((name) => [name, field]));
      if (isClosed) tidied.additionalProperties = false;
    } else if (additionalProperties) tidied.additionalProperties = tidy(additionalProperties);
    else if (additionalProperties === false && isClosed) tidied.additionalProperties = false;
    return tidied;
  }

  #reference($ref: string): string {
    const name = $ref.split("/").at(-1) ?? "";
    if (!isGenerated(name)) return COMPONENTS + name;
    this.named[ANY] ??= { description: "Any JSON value." };
    return COMPONENTS + ANY;
  }
}

const mapValues = <Before, After>(values: Record<string, Before>, convert: (value: Before) => After) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(value)]));
