import type { PartProps } from "../parts.ts";

/** The records of a collection. */
export const Collection = ({ name }: PartProps) => (
  <h2>
    <bdi>{name}</bdi>
  </h2>
);
