import { play } from "@easel/conformance/ai/script";
import { asking } from "@easel/conformance/connections/reply";
import { WebSocket } from "ws";
import { type Attack, repeat } from "../attack.ts";
import { textOf } from "../site.ts";

const JSON_TYPE = { "content-type": "application/json" };
const SLOW_READERS = 9;
const TABS = 30;
const VALUE = JSON.stringify(textOf(60_000));
const FORM_TYPE = { "content-type": "multipart/form-data; boundary=boundary" };
const FORM = Buffer.from(
  [
    '--boundary\r\nContent-Disposition: form-data; name="scope"\r\n\r\nsubmission',
    `--boundary\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${textOf(1_000_000)}`,
    "--boundary--\r\n",
  ].join("\r\n"),
);
const EXPENSIVE = JSON.stringify({
  model: "m",
  maxTokens: 8192,
  messages: [{ role: "user", content: play([{ text: "a", times: 1_000, everyMs: 10 }, { end: {} }]) }],
});

/** Attacks by the runtime API of a canvas that the hostile person may open as a viewer. */
export const runtime: Attack[] = [
  {
    name: "slow readers of a Connection",
    async run(hostile) {
      const { shared, profile } = hostile.site;
      if (profile === null) return;
      const path = `/v1/c/${shared.slug}/connections/${profile}/x?${asking({ body: "x".repeat(1024), times: 1_900 })}`;
      await repeat(hostile, SLOW_READERS, () =>
        hostile.ask({ method: "GET", path, readsBytes: 1, abortAfterMs: 3_000 }),
      );
    },
  },
  {
    name: "30 tabs",
    run: (hostile) =>
      repeat(hostile, TABS, async () => {
        const { base, shared, hostile: cookie } = hostile.site;
        const socket = new WebSocket(`${base.replace("http", "ws")}/v1/c/${shared.slug}/realtime`, {
          headers: { cookie },
        });
        socket.on("error", () => {});
        const end = () => socket.terminate();
        hostile.signal.addEventListener("abort", end, { once: true });
        await new Promise((resolve) => socket.once("close", resolve));
        hostile.signal.removeEventListener("abort", end);
        // A refused tab is opened again after a second, as people and pages do.
        if (!hostile.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1_000));
      }),
  },
  {
    name: "AI requests that are aborted",
    run: (hostile) =>
      repeat(hostile, 4, (index) =>
        hostile.ask({
          method: "POST",
          path: `/v1/c/${hostile.site.shared.slug}/ai/chat`,
          headers: JSON_TYPE,
          body: EXPENSIVE,
          abortAfterMs: 20 + (index % 10) * 30,
        }),
      ),
  },
  {
    name: "uploaded files",
    run: (hostile) =>
      repeat(hostile, 8, () =>
        hostile.ask({
          method: "POST",
          path: `/v1/c/${hostile.site.shared.slug}/files`,
          headers: FORM_TYPE,
          body: FORM,
        }),
      ),
  },
  {
    name: "large values",
    run: (hostile) =>
      repeat(hostile, 8, (index) =>
        hostile.ask({
          method: "PUT",
          path: `/v1/c/${hostile.site.shared.slug}/kv/user/k${index % 1_000}`,
          headers: JSON_TYPE,
          body: VALUE,
        }),
      ),
  },
];
