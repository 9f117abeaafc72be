import type { ZodType } from "zod";

/** The successful response of an act: its status, and the schema of its body or null for none. */
export interface AnswerSpec<Body> {
  status: 200 | 201 | 204;
  schema: ZodType<Body> | null;
}

export const ok = <Body>(schema: ZodType<Body>): AnswerSpec<Body> => ({ status: 200, schema });
export const created = <Body>(schema: ZodType<Body>): AnswerSpec<Body> => ({ status: 201, schema });
export const noContent: AnswerSpec<undefined> = { status: 204, schema: null };
