import type { CanvasTypes } from "./index.ts";

/**
 * What the page has declared in the part `Part` of `CanvasTypes`, such as `collections`: an object type with a member for each name. It has
 * no members if the page has not declared that part.
 */
export type Declared<Part extends string> = CanvasTypes extends { [Name in Part]: infer Members }
  ? Members
  : Record<never, never>;

/** Any string. An editor suggests the names that the page has declared in the part `Part` of `CanvasTypes`. */
export type NameOf<Part extends string> = (keyof Declared<Part> & string) | (string & Record<never, never>);
