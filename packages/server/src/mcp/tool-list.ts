import type { Tool as WireTool } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./tools.ts";

/** Programs may keep the list of tools and the texts for five minutes. They are the same for everybody, and change with the version of the service. */
export const KEPT = { ttlMs: 5 * 60_000, cacheScope: "public" } as const;

/**
 * Removes from a schema what a model can do without, because every program pays for each word in every conversation: that other fields are
 * refused, bounds of lengths and of integers, which the error of a call says, and what is true of every object.
 */
function shorten(schema: z.core.JSONSchema.BaseSchema, io: "input" | "output"): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  for (const limit of ["minLength", "maxLength", "minItems", "maxItems", "propertyNames"] as const)
    delete schema[limit];
  if (["false", "{}"].includes(JSON.stringify(schema.additionalProperties)))
    delete schema.additionalProperties;
  if (io === "output") delete schema.required;
}

/** Returns the JSON schema of the arguments or the structured content of a tool. */
function schemaOf(schema: z.ZodObject, io: "input" | "output"): WireTool["inputSchema"] {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => shorten(jsonSchema, io),
  });
  return rest as WireTool["inputSchema"];
}

/** Describes a tool as `tools/list` does. */
const wireToolOf = ({ name, title, description, hints, input, output }: Tool): WireTool => ({
  name,
  title,
  description,
  annotations: hints,
  inputSchema: schemaOf(input, "input"),
  outputSchema: schemaOf(output, "output"),
});

/** The list of tools, which is the same for everybody. */
export const TOOL_LIST: WireTool[] = TOOLS.map(wireToolOf);
