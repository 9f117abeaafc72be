import { type Cast, type Stage, stage } from "@easel/conformance/fixture";
import type { Answer } from "@easel/conformance/http";
import type { Page } from "@easel/conformance/page";
import { govern } from "@easel/conformance/policy";
import type { Target } from "@easel/conformance/target";
import type { Tool } from "../../src/mcp/tool.ts";
import { TOOLS } from "../../src/mcp/tools.ts";
import { publish } from "../support/publish.ts";

/** A canvas on which tools are called, with two versions of which the second is published. */
export type Site = Stage & { first: string };

/** A call of a tool, and what decides whether a person may make it. */
export interface Sample {
  /** The arguments besides the canvas. */
  args?: (site: Site) => object;
  /** The acts that the call performs on the canvas. Whoever may perform all of them may make the call. */
  acts: string[];
  /** The request of a page of the canvas that does the same with data. */
  asks?: (page: Page) => Promise<Answer>;
  /** Whether the call is for nobody in particular, without a canvas. */
  anywhere?: true;
}

/** The policy of such a canvas. */
export const POLICY = { collections: { ideas: { preset: "managed" } } } as const;

/** Calls of each tool. A tool without one fails the first test. */
export const SAMPLES: Record<string, Sample[]> = {
  guide: [{ args: () => ({ topic: "limits" }), acts: [], anywhere: true }],
  list_canvases: [{ acts: [], anywhere: true }],
  get_canvas: [
    { acts: ["canvas.read"] },
    { args: () => ({ include: ["versions", "policy", "people"] }), acts: ["canvas.read", "canvas.versions"] },
    { args: () => ({ include: ["usage"] }), acts: ["canvas.usage"] },
    { args: () => ({ include: ["errors"] }), acts: ["canvas.log"] },
    { args: () => ({ include: ["files"] }), acts: ["canvas.version-files"] },
    { args: ({ first }) => ({ preview: first }), acts: ["canvas.preview"] },
  ],
  read_files: [
    { acts: ["canvas.version-files"] },
    { args: () => ({ paths: ["*"] }), acts: ["canvas.version-files", "canvas.version-file"] },
  ],
  read_data: [
    { acts: ["canvas.data"] },
    { args: () => ({ what: "keys" }), acts: [], asks: (page) => page.get("/kv") },
    { args: () => ({ what: "own_keys" }), acts: [], asks: (page) => page.get("/kv/user") },
    {
      args: () => ({ what: "records", name: "ideas" }),
      acts: [],
      asks: (page) => page.get("/collections/ideas"),
    },
    {
      args: () => ({ what: "submissions", name: "quiz" }),
      acts: [],
      asks: (page) => page.get("/submissions/quiz"),
    },
    { args: () => ({ what: "files" }), acts: [], asks: (page) => page.get("/files") },
  ],
  read_errors: [{ acts: ["canvas.log"] }],
  deploy_canvas: [
    {
      args: ({ slug }) => ({ files: [{ path: "new.html", text: slug }] }),
      acts: ["canvas.stage", "canvas.stage-finish"],
    },
  ],
  upload_command: [{ acts: ["canvas.deploy"] }],
  publish_version: [
    { args: ({ first }) => ({ version: first }), acts: ["canvas.versions", "canvas.publish"] },
  ],
  configure_canvas: [
    { args: () => ({ title: "Other" }), acts: ["canvas.update"] },
    { args: () => ({ switches: { realtime: false } }), acts: ["canvas.capabilities"] },
  ],
  share_canvas: [
    { args: () => ({ people: [{ email: "bo@acme.test", role: "viewer" }] }), acts: ["canvas.share"] },
  ],
  delete_canvas: [{ acts: ["canvas.delete"] }],
  write_data: [
    {
      args: () => ({ changes: [{ op: "set", key: "a", value: 1 }] }),
      acts: [],
      asks: (page) => page.put("/kv/a", 1),
    },
    {
      args: () => ({ changes: [{ op: "set", key: "a", own: true, value: 1 }] }),
      acts: [],
      asks: (page) => page.put("/kv/user/a", 1),
    },
    {
      args: () => ({ changes: [{ op: "create", collection: "ideas", value: 1 }] }),
      acts: [],
      asks: (page) => page.post("/collections/ideas", 1),
    },
  ],
};

/** The samples, each with its tool. */
export const CALLS: { tool: Tool; sample: Sample }[] = TOOLS.flatMap((tool) =>
  (SAMPLES[tool.name] ?? []).map((sample) => ({ tool, sample })),
);

/** Creates a canvas on which the samples can be called. */
export async function makeSite(target: Target, people: Cast): Promise<Site> {
  const site = await stage(target, { people });
  await govern(target, site, POLICY);
  const first = await publish(target, site, { "index.html": "first" });
  await publish(target, site, { "index.html": "second" });
  return { ...site, first };
}

/** Returns the arguments of a sample. */
export const argsOf = ({ args, anywhere }: Sample, site: Site): object => ({
  ...(anywhere !== true && { canvas: site.slug }),
  ...args?.(site),
});
