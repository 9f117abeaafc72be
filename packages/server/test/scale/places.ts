import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Stage, stage } from "@easel/conformance/fixture";
import { runtimePath } from "@easel/conformance/page";
import { socketHeaders } from "@easel/conformance/realtime/handshake";
import type { Target } from "@easel/conformance/target";
import { WebSocket } from "ws";

/** More clients than there are places for connections of a canvas. */
const CLIENTS = 40;
const SAMPLE_MS = 50;

/** Clients of all nodes that connect to one canvas again and again; counts those which the service has let in. */
export class Places {
  readonly #canvas: Stage;
  #isStopped = false;
  #done: Promise<unknown> = Promise.resolve();
  #inside = 0;
  /** The most connections at once, of all samples. */
  most = 0;
  samples = 0;
  entered = 0;

  private constructor(canvas: Stage) {
    this.#canvas = canvas;
  }

  static async start(targets: Target[]): Promise<Places> {
    const places = new Places(await stage(targets[0] as Target));
    const clients = Array.from({ length: CLIENTS }, (_, at) =>
      places.#connect(targets[at % targets.length] as Target),
    );
    places.#done = Promise.all([...clients, places.#sample()]);
    return places;
  }

  async #sample(): Promise<void> {
    while (!this.#isStopped) {
      this.most = Math.max(this.most, this.#inside);
      this.samples++;
      await sleep(SAMPLE_MS);
    }
  }

  async #connect(target: Target): Promise<void> {
    while (!this.#isStopped) {
      await this.#visit(target, randomInt(1_000, 5_000));
      await sleep(randomInt(200, 1_000));
    }
  }

  /** Opens a connection and holds it for some time. It is inside from the first frame on: the service closes others without any. */
  #visit(target: Target, holdMs: number): Promise<void> {
    const { slug, people } = this.#canvas;
    const url = `${target.base.replace("http", "ws")}${runtimePath(target, slug)}/realtime`;
    const headers = Object.fromEntries([...people.viewer.headers, ...socketHeaders(target, slug)]);
    const socket = new WebSocket(url, { headers, handshakeTimeout: 5_000 });
    return new Promise((resolve) => {
      let isInside = false;
      const timer = setTimeout(leave, holdMs + 5_000);
      const outside = () => {
        if (isInside) this.#inside--;
        isInside = false;
      };
      function leave() {
        outside();
        socket.terminate();
      }
      socket.on("open", () => socket.send(JSON.stringify({ type: "presence", channel: "c" })));
      socket.on("message", () => {
        if (isInside || socket.readyState !== WebSocket.OPEN) return;
        isInside = true;
        this.#inside++;
        this.entered++;
        setTimeout(leave, holdMs);
      });
      socket.on("error", () => {});
      socket.on("close", () => {
        clearTimeout(timer);
        outside();
        resolve();
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }
}
