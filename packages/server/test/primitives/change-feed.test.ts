import { after, it } from "node:test";
import { govern } from "@easel/conformance/policy";
import { connect } from "@easel/conformance/realtime/socket";
import { same } from "@easel/conformance/same";
import { CountedNode } from "./realtime/counted-node.ts";

it("a change is published when a connection watches the canvas, and costs nothing otherwise", async () => {
  const { target, counting, here } = await CountedNode.start({ after });
  await govern(target, here, { collections: { board: { preset: "contributions" } } });
  const { owner } = here.pages;
  /** Changes everything that can be watched. Returns how many changes were published on the bus. */
  const change = async () => {
    const before = counting.said.length;
    same((await owner.put("/kv/a", 1)).status, 200);
    same((await owner.put("/kv/user/a", 1)).status, 200);
    same((await owner.post("/collections/board", 1)).status, 201);
    return counting.said.slice(before).filter((each) => each.startsWith("changes ")).length;
  };
  same(await change(), 0);
  const watching = await connect(target, here.slug, here.people.viewer);
  same((await watching.ask({ type: "subscribe", channel: "c" })).type, "subscribed");
  await watching.settled();
  same(await change(), 0);
  same((await watching.ask({ type: "watch", resource: "kv" })).type, "watching");
  same(await change(), 3);
  same((await watching.next()).type, "change");
  watching.send({ type: "unwatch", resource: "kv" });
  await watching.settled();
  same(await change(), 0);
  await watching.close();
});
