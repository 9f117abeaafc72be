/** Half of the greatest finite number: sums are compared at half size, where they cannot overflow. */
export const HALF = Number.MAX_VALUE / 2;

/** Below this, a number added to any finite one stays finite. */
export const HARMLESS = 1e291;
