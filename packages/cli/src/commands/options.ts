import { Option } from "commander";

/** The option `--url`. */
export const urlOption = () =>
  new Option("--url <url>", "the service; by default EASEL_URL, that of the folder, or the last sign-in");
/** The option `--canvas`. */
export const canvasOption = (
  description = "slug or id of the canvas; by default that of the working directory",
) => new Option("-c, --canvas <slug>", description);
/** The option `--json`. */
export const jsonOption = () => new Option("--json", "print the result as JSON");
/** The option `--yes`. */
export const yesOption = (description = "do not ask for confirmation") =>
  new Option("-y, --yes", description);
