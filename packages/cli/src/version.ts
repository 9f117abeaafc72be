declare const VERSION: string | undefined;

/** The version of the package, which the build inserts. */
export const version = typeof VERSION === "string" ? VERSION : "0.0.0-source";
