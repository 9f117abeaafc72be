import type { ZodType } from "zod";

/** The successful response of an act: its status, and the schema of its body or null for none. */
export interface ResponseSpec<Body> {
  status: 200 | 201 | 204;
  schema: ZodType<Body> | null;
}

export const ok = <Body>(schema: ZodType<Body>): ResponseSpec<Body> => ({ status: 200, schema });
export const created = <Body>(schema: ZodType<Body>): ResponseSpec<Body> => ({ status: 201, schema });
export const noContent: ResponseSpec<undefined> = { status: 204, schema: null };
