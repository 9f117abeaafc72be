import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { manage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import type { Target } from "@easel/conformance/target";
import type { Page } from "playwright-core";
import { type Scope, temporaryDirectory } from "./service.ts";

/** A canvas in a list of the management API. */
interface Listed {
  id: string;
  slug: string;
  publicationStatus: string;
}

/** What tests of the screens that publish folders share. */
export async function startFolders(scope: Scope, target: Target) {
  const folders = await temporaryDirectory(scope);
  return {
    /** Writes a folder with these files. Returns its path. */
    async folder(name: string, files: Record<string, string>): Promise<string> {
      const root = path.join(folders, name);
      for (const [file, text] of Object.entries(files)) {
        await mkdir(path.dirname(path.join(root, file)), { recursive: true });
        await writeFile(path.join(root, file), text);
      }
      return root;
    },

    /** Returns a person and their canvases. */
    async listOf(email: string) {
      const person = await target.signIn(email);
      const { json } = await manage(target, person, "GET", "/api/canvases");
      return { person, canvases: json.canvases as Listed[] };
    },

    /** Requests a file of a canvas as a person. */
    async read(email: string, slug: string, file = "") {
      const { headers } = await target.signIn(email);
      return send(target.base, { method: "GET", path: `/c/${slug}/${file}`, headers });
    },
  };
}

/** Chooses a folder in the picker of a screen. */
export const choose = (page: Page, root: string) =>
  page.locator("input[webkitdirectory]").setInputFiles(root);

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

export const untilReview = (page: Page) => page.getByText("What will be published").waitFor();

export const untilOnline = (page: Page) => page.getByRole("heading", { name: /is online$/ }).waitFor();
