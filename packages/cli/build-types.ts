import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { baseOf } from "@easel/server/build/addresses";
import { readConfig } from "@easel/server/build/config";
import { openApiOf } from "@easel/server/build/openapi";
import printTypes, { astToString } from "openapi-typescript";

// Writes the types of the management API, which `openapi-fetch` needs. They come from the OpenAPI document of the service.
const FILE = path.join(import.meta.dirname, "dist-types/management-api.d.ts");

const document = openApiOf({ base: baseOf(readConfig({}), 3000) });
const paths = Object.fromEntries(Object.entries(document.paths).filter(([name]) => name.startsWith("/api")));
const types = await printTypes(JSON.stringify({ ...document, paths }), { alphabetize: true });
await mkdir(path.dirname(FILE), { recursive: true });
await writeFile(FILE, astToString(types));
