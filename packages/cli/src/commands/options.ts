import { Option } from "commander";

/** Creates the options that many commands have. */
export const urlOption = () =>
  new Option("--url <url>", "the service; by default that of the folder, or the last sign-in");
export const canvasOption = (
  description = "slug or id of the canvas; by default that of the working directory",
) => new Option("-c, --canvas <slug>", description);
export const jsonOption = () => new Option("--json", "print the result as JSON");
export const yesOption = () => new Option("-y, --yes", "answer every question with yes");
