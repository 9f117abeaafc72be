import type { CanvasTypes } from "./index.ts";

/** The members of one part of `CanvasTypes`, such as `collections`; none if the page has not declared that part. */
export type Declared<Part extends string> = CanvasTypes extends { [Name in Part]: infer Members }
  ? Members
  : Record<never, never>;

/** The names in one part of `CanvasTypes`, which an editor completes, and any other string. */
export type NameOf<Part extends string> = (keyof Declared<Part> & string) | (string & Record<never, never>);
