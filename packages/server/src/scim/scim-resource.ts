import type { Json } from "@easel/protocol/types";
import type { Env } from "../env.ts";
import type { PageOfList } from "./people-store.ts";
import type { Selection } from "./selection.ts";

/** A resource as JSON. */
export type Resource = Record<string, Json>;

/** What the audit log has of a change. */
export interface ScimAudit {
  act: string;
  target: string;
  details: object;
}

interface Changed {
  resource: Resource;
  audit: ScimAudit;
}

/** A type of resources, and what a provider can do with them. What takes long is not read for attributes that are not sent. Bodies are checked by the functions, which throw a `ZodError` for a wrong one. */
export interface ResourceType {
  name: "User" | "Group";
  path: "/Users" | "/Groups";
  list(
    filter: string | undefined,
    page: PageOfList,
    selection: Selection,
    env: Env,
  ): Promise<{ total: number; resources: Resource[] }>;
  read(id: string, selection: Selection, env: Env): Promise<Resource>;
  create(body: Json, env: Env): Promise<Changed>;
  replace(id: string, body: Json, env: Env): Promise<Changed>;
  patch(id: string, body: Json, env: Env): Promise<Changed>;
  remove(id: string, env: Env): Promise<ScimAudit>;
}
