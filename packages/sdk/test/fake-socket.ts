const person = { id: "u-1", name: "Ada" };

type Fields = Record<string, unknown>;

/** Returns the frames with which the service responds to a frame, if this page is the only one on the canvas. */
function answersTo({ type, channel, event = "", data = null, ...target }: Fields): Fields[] {
  const presence = { type: "presence", channel, users: [person] };
  const from = { ...person, canvasRole: "owner" };
  if (type === "subscribe") return [{ type: "subscribed", channel }, presence];
  if (type === "presence") return [presence];
  if (type === "publish") return [{ type: "message", channel, event, data, from }];
  if (type !== "watch") return [];
  const { prefix, ...collection } = target;
  const change = prefix === undefined ? { ...collection, id: "r-1" } : { ...collection, key: prefix };
  return [
    { type: "watching", ...target },
    { type: "change", ...change, op: "set" },
  ];
}

/** Creates a fake `WebSocket` class, whose connections lead to a fake service in memory. `frames` has the frames that the page sent. */
export function fakeSocket() {
  const frames: Fields[] = [];

  class FakeSocket {
    readyState = 0;
    onopen = () => {};
    onmessage = (_: { data: string }) => {};

    constructor() {
      queueMicrotask(() => {
        this.readyState = 1;
        this.onopen();
      });
    }

    send(text: string) {
      const frame = JSON.parse(text) as Fields;
      frames.push(frame);
      for (const answer of answersTo(frame))
        queueMicrotask(() => this.onmessage({ data: JSON.stringify(answer) }));
    }

    close() {}
  }

  return { WebSocket: FakeSocket as unknown as typeof WebSocket, frames };
}
