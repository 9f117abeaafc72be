import { createHash, randomBytes, randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { FORM_TYPE, formOf } from "@easel/conformance/files/form";
import { type Stage, stage } from "@easel/conformance/fixture";
import type { Target } from "@easel/conformance/target";
import { askPage } from "./ask.ts";

const CLIENTS = 2;
const PAUSE_MS = 100;
/** Sizes around the one up to which the driver of S3 keeps a blob in memory, 1 MiB. */
const SIZES = [1_000, 100_000, 1_500_000];

export interface UploadsResult {
  acknowledged: number;
  /** Files whose upload was answered and that are not there, or have other bytes. */
  lost: number;
  /** Answers with bytes that nobody has uploaded. */
  invented: number;
}

const hashOf = (bytes: Buffer | string) =>
  createHash("sha256")
    .update(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes)
    .digest("hex");

/** Clients of all nodes that upload files and download those of each other, until they are stopped. */
export class Uploads {
  readonly #targets: Target[];
  readonly #canvas: Stage;
  readonly #hashes = new Map<string, string>();
  #isStopped = false;
  #done: Promise<unknown> = Promise.resolve();
  #invented = 0;

  private constructor(targets: Target[], canvas: Stage) {
    this.#targets = targets;
    this.#canvas = canvas;
  }

  static async start(targets: Target[]): Promise<Uploads> {
    const uploads = new Uploads(targets, await stage(targets[0] as Target));
    const clients = Array.from({ length: CLIENTS }, (_, at) => targets[at % targets.length] as Target);
    uploads.#done = Promise.all(clients.map((target) => uploads.#work(target)));
    return uploads;
  }

  async #work(target: Target): Promise<void> {
    while (!this.#isStopped) {
      const bytes = randomBytes(SIZES[randomInt(SIZES.length)] as number);
      const form = formOf({}, { name: "file", bytes });
      const { slug, people } = this.#canvas;
      const answer = await askPage(target, slug, people.editor, "POST", "/files", form, FORM_TYPE);
      if (answer?.status === 201)
        this.#hashes.set((JSON.parse(answer.text) as { id: string }).id, hashOf(bytes));
      const ids = [...this.#hashes.keys()];
      const id = ids[randomInt(Math.max(1, ids.length))];
      if (id !== undefined && (await this.#isThere(target, id)) === false) this.#invented++;
      await sleep(PAUSE_MS);
    }
  }

  /** Whether the file has its bytes: undefined if the service does not say. */
  async #isThere(target: Target, id: string): Promise<boolean | undefined> {
    const { slug, people } = this.#canvas;
    const answer = await askPage(target, slug, people.viewer, "GET", `/files/${id}/content`);
    if (answer === undefined || answer.status >= 500) return undefined;
    return answer.status === 200 && hashOf(answer.text) === this.#hashes.get(id);
  }

  /** Stops the clients and downloads each file on the last node. */
  async stop(): Promise<UploadsResult> {
    this.#isStopped = true;
    await this.#done;
    let lost = 0;
    for (const id of this.#hashes.keys())
      if (!(await this.#isThere(this.#targets.at(-1) as Target, id))) lost++;
    return { acknowledged: this.#hashes.size, lost, invented: this.#invented };
  }
}
