import manifest from "../../package.json" with { type: "json" };

/** The version of the service. */
export const VERSION: string = manifest.version;
