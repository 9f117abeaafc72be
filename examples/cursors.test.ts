import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { connect, type Socket } from "@easel/conformance/realtime/socket";
import { devTarget, freshEmail, type Person, type Target } from "@easel/conformance/target";
import type { Json } from "@easel/protocol/types";
import type { BrowserContext, Page, WebSocketRoute } from "playwright-core";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { atEnd, fileScope, type Scope } from "../packages/server/test/support/service.ts";
import { startSite } from "../packages/server/test/support/site.ts";

const CHANNEL = "participants:cursors";

type Place = [x: number, y: number];

/** What `createPointer` (`cursors/pointer.js`) returns. */
interface Pointer {
  open: boolean;
  move(place: Place): void;
  repeat(): void;
  rest(): void;
}

const surface = (page: Page) => page.getByRole("application", { name: "Shared surface" });
const person = (page: Page, name: string) =>
  page.getByRole("list", { name: "Here now" }).getByText(name, { exact: true });
const says = (page: Page, text: string) => page.getByRole("status").getByText(text).waitFor();
const stands = (page: Page, text: string) =>
  page.getByRole("status").getByText(text, { exact: true }).waitFor();
const warns = (page: Page, text: string) => page.getByRole("alert").filter({ hasText: text }).waitFor();

/** Waits until the pointer with this name is at a position, given as fractions of the surface. */
async function pointsAt(page: Page, name: string, [x, y]: Place) {
  const isThere = `([name, x, y]) => {
    const surface = document.getElementById("surface");
    const { left, top, width, height } = surface.getBoundingClientRect();
    const pointer = [...surface.querySelectorAll(".pointer")].find((each) => each.textContent.trim() === name);
    const at = pointer?.getBoundingClientRect();
    return at && Math.hypot(at.left - left - x * width, at.top - top - y * height) < 4;
  }`;
  await page.waitForFunction(`(${isThere})(${JSON.stringify([name, x, y])})`);
}

const isFocused = (page: Page) =>
  page.evaluate<boolean>("document.activeElement.matches('#surface:focus-visible')");

/** Moves the mouse over the surface. */
async function point(page: Page, [x, y]: Place) {
  const box = (await surface(page).boundingBox()) ?? assert.fail("no surface");
  await page.mouse.move(box.x + x * box.width, box.y + y * box.height, { steps: 5 });
}

/** Connects a WebSocket client, which subscribes to the channel, as a person. */
async function dial(t: Scope, target: Target, as: Person): Promise<Socket> {
  const socket = await connect(target, "cursors", as);
  atEnd(t, () => socket.close());
  socket.send({ type: "subscribe", channel: CHANNEL });
  return socket;
}

/** Connects a WebSocket client as a new person with this name. */
const program = async (t: Scope, target: Target, name: string) =>
  dial(t, target, await target.signIn(freshEmail("program"), name));

const publish = (socket: Socket, event: string, data: Json) =>
  socket.send({ type: "publish", channel: CHANNEL, event, data });

/** Waits for the next message with this event from the person with this name. Returns its data and the role of its sender. */
async function heard(socket: Socket, event: string, name: string) {
  for (;;) {
    const frame = await socket.next();
    const from = Object(frame.from);
    if (frame.type === "message" && frame.event === event && from.name === name)
      return { data: Object(frame.data), role: from.canvasRole };
  }
}

/**
 * Finds the canvas `cursors`. Returns an object with the function `change`, which changes this canvas through the management API as its
 * owner.
 */
async function owned(target: Target) {
  const owner = await target.signIn("dev@example.com", "Dev");
  const { json } = await manage(target, owner, "GET", "/api/canvases?q=cursors");
  const [canvas] = json.canvases as { id: string }[];
  const change = async (method: string, part: string, body: object) => {
    const answer = await manage(target, owner, method, `/api/canvases/${canvas?.id}/${part}`, body);
    assert.equal(answer.status, 200, answer.text);
  };
  return { change };
}

describe("two people and programs at the shared surface, in subdomain mode", { skip: noBrowser }, () => {
  const scope = fileScope();
  let target: Target;
  let address: string;
  let one: Page;
  let other: Page;
  let context: BrowserContext;
  const faults: string[][] = [];

  before(async () => {
    const site = await startSite(scope, "subdomain", { example: "cursors" });
    target = devTarget(site.base, "subdomain");
    address = site.env.base.canvasUrl("cursors");
  });

  const enter = async (name: string) => {
    const opened = await openAs(await openBrowser(scope), address, `${name}@example.com`);
    faults.push(opened.faults);
    return opened;
  };

  test("people and a program see each other join, point, ping and leave", async (t) => {
    ({ page: one } = await enter("dev"));
    await stands(one, "Connected");
    await says(one, "You are the only one here.");
    await one.getByText("Nobody else is here yet.").waitFor();
    await point(one, [0.25, 0.5]);
    ({ page: other, context } = await enter("viewer"));
    await says(one, "Viewer is here.");
    await says(other, "You are here with Dev.");
    await person(other, "Viewer (you)").waitFor();
    // A person who joins later sees the pointers of the others.
    await pointsAt(other, "Dev", [0.25, 0.5]);

    const socket = await program(t, target, "Ada");
    await says(other, "Ada is here.");
    publish(socket, "move", [[0.1, 0.9]]);
    for (const page of [one, other]) await pointsAt(page, "Ada", [0.1, 0.9]);
    await point(other, [0.5, 0.5]);
    await pointsAt(one, "Viewer", [0.5, 0.5]);
    const moved = await heard(socket, "move", "Viewer");
    assert.equal(moved.role, "viewer");
    assert.ok(
      moved.data.flat().every((part: number) => part >= 0 && part <= 1),
      JSON.stringify(moved.data),
    );

    // A ripple disappears after its animation.
    const seen = one.locator(".ripple").waitFor();
    publish(socket, "ping", [0.9, 0.1]);
    await Promise.all([seen, says(one, "Ada pings in the top right.")]);
    await one.locator(".ripple").waitFor({ state: "detached" });
    const box = (await surface(other).boundingBox()) ?? assert.fail("no surface");
    await surface(other).click({ position: { x: box.width * 0.5, y: box.height * 0.9 } });
    await says(one, "Viewer pings at the bottom.");
    const [x, y] = (await heard(socket, "ping", "Viewer")).data;
    assert.ok(Math.abs(x - 0.5) < 0.01 && Math.abs(y - 0.9) < 0.01, `${x}, ${y}`);

    await socket.close();
    await says(one, "Ada has left.");
    await person(other, "Ada").waitFor({ state: "detached" });
    assert.deepEqual(faults, [[], []]);
  });

  test("with the keyboard alone, narrow and wide, and with a long name", async (t) => {
    await one.locator("body").focus();
    await one.keyboard.press("Tab");
    assert.equal(await isFocused(one), true);
    for (let step = 0; step < 4; step++) await one.keyboard.press("Shift+ArrowLeft");
    await one.keyboard.press("Enter");
    await says(one, "You ping on the left.");
    await says(other, "Dev pings on the left.");
    await one.keyboard.press("Tab");
    assert.equal(await isFocused(one), false);

    // A long name is cut off at its end, even if it is written from right to left.
    const name = `عبد${"و".repeat(80)}`;
    const socket = await program(t, target, name);
    for (const [width, scheme] of [
      [320, "light"],
      [1280, "dark"],
    ] as const) {
      await other.setViewportSize({ width, height: 720 });
      await assertAccessible(other, scheme);
      await person(other, name).waitFor();
      publish(socket, "move", [[0.95, 0.95]]);
      await pointsAt(other, name, [0.95, 0.95]);
      publish(socket, "move", [[0.59, 0.5]]);
      await pointsAt(other, name, [0.59, 0.5]);
      assert.equal(await other.evaluate("document.documentElement.scrollWidth"), width);
      const tag = other.locator(".tag", { hasText: name });
      const [box, room] = [await tag.boundingBox(), await surface(other).boundingBox()];
      assert.ok(box !== null && room !== null && box.x + box.width <= room.x + room.width, `${width}`);
      assert.equal(await tag.and(other.locator(":dir(rtl)")).count(), 1);
    }
  });

  test("messages of other pages and programs break nothing", async (t) => {
    const page = one;
    await page.locator(".ripple").first().waitFor({ state: "detached" });
    const pointers = await page.locator(".pointer").count();
    const name = "<img src=x onerror=alert(1)>";
    const socket = await program(t, target, name);
    await person(page, name).waitFor();
    const hostile: Json[] = [
      null,
      1,
      "x".repeat(16_000),
      [],
      {},
      "0.5,0.5",
      [null],
      [[0.5]],
      [[0.5, "0.5"]],
      [[0.5, 0.5, 0.5]],
      [0.5],
      [0.5, "0.5"],
      { length: 1, 0: [0.5, 0.5] },
      [{ 0: 0.5, 1: 0.5, length: 2 }],
      [["<b>", "</b>"]],
      Array(3000).fill([]),
      { path: [[0.5, 0.5]] },
      { name: "Dev", from: { id: "you", name: "Dev" } },
    ];
    for (const data of hostile) for (const event of ["move", "ping"]) publish(socket, event, data);
    publish(socket, "", [[0.5, 0.5]]);
    publish(socket, "constructor", [[0.5, 0.5]]);
    socket.send(`{"type":"publish","channel":"${CHANNEL}","event":"move","data":[[0.5,0.5],[1e999,0]]}`);
    // Messages arrive in order, so that nothing is shown before the first message with a valid path.
    publish(socket, "move", Array(500).fill([-1e300, 7]));
    await pointsAt(page, name, [0, 1]);
    assert.equal(await page.locator(".pointer").count(), pointers + 1);
    assert.equal(await page.locator(".ripple").count(), 0);
    for (let each = 0; each < 20; each++) publish(socket, "ping", [1e300, 0.5]);
    publish(socket, "move", [[0.25, 0.25]]);
    await pointsAt(page, name, [0.25, 0.25]);
    await says(page, `${name} pings on the right.`);
    assert.ok((await page.locator(".ripple").count()) <= 3);
    assert.equal(await page.locator("#surface img, #people img, #news img").count(), 0);

    // The pointer of a person who is not present is not shown, although that person may publish.
    socket.send({ type: "unsubscribe", channel: CHANNEL });
    await says(page, `${name} has left.`);
    publish(socket, "move", [[0.5, 0.5]]);
    const witness = await program(t, target, "Ada");
    publish(witness, "move", [[0.75, 0.75]]);
    await pointsAt(page, "Ada", [0.75, 0.75]);
    assert.equal(await page.locator(".pointer").count(), pointers + 1);
    assert.deepEqual(faults, [[], []]);
  });

  test("the page shows the state of the connection, and why it ended", async () => {
    const page = other;
    const { change } = await owned(target);
    const again = page.getByRole("button", { name: "Try again" });
    await stands(page, "Connected");

    await change("PATCH", "capabilities", { realtime: false });
    await warns(page, 'The owner or an editor adds "realtime" to capabilities');
    await stands(page, "Not connected");
    assert.equal(await page.getByRole("list", { name: "Here now" }).getByRole("listitem").count(), 0);
    await change("PATCH", "capabilities", { realtime: true });
    await again.click();
    await stands(page, "Connected");
    await person(page, "Viewer (you)").waitFor();

    // When the page exceeds the rate limit, it shows a message.
    await page.evaluate(
      `for (let each = 0; each <= 100; each++) easel.realtime.channel("${CHANNEL}").publish("x")`,
    );
    await warns(page, "That was a little fast.");

    const connections: WebSocketRoute[] = [];
    let isDown = false;
    await context.routeWebSocket(/realtime/, (connection) => {
      connections.push(connection);
      if (isDown) connection.close({ code: 1001 });
      else connection.connectToServer();
    });
    await page.reload();
    await stands(page, "Connected");
    isDown = true;
    await connections[0]?.close({ code: 1001 });
    // Whenever the network is back, the page tries again at once.
    const goOnline = () => page.evaluate("dispatchEvent(new Event('online'))");
    for (let tries = 1; tries <= 4; tries++) {
      await goOnline();
      await until("the page tries again", () => connections.length > tries);
    }
    await stands(page, "Connection lost. Trying again…");
    isDown = false;
    await goOnline();
    await stands(page, "Connected");
    await person(page, "Viewer (you)").waitFor();

    await change("PUT", "sharing", { access: "private" });
    await warns(page, "You may not be here any more");
    await stands(page, "Not connected");
    assert.deepEqual(faults, [[], []]);
  });
});

test("after a refusal, and without a connection, no position is sent until later, and then only the current one", async (t) => {
  const { href } = new URL("cursors/pointer.js", import.meta.url);
  const { createPointer }: { createPointer(send: (place: Place) => void): Pointer } = await import(href);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sent: Place[] = [];
  const pointer = createPointer((place: Place) => sent.push(place));
  const go = (ms: number) => {
    for (let gone = 0; gone < ms; gone += 10) {
      pointer.move([gone / ms, 0.5]);
      t.mock.timers.tick(10);
    }
    pointer.move([0.125, 0.25]);
  };
  pointer.open = true;
  go(600);
  assert.equal(sent.length, 11);
  for (const [begin, end] of [
    [() => pointer.rest(), () => {}],
    [() => Object.assign(pointer, { open: false }), () => Object.assign(pointer, { open: true })],
  ] as const) {
    t.mock.timers.tick(60);
    sent.length = 0;
    begin();
    go(14_000);
    pointer.repeat();
    assert.deepEqual(sent, []);
    end();
    pointer.repeat();
    t.mock.timers.tick(2_000);
    assert.deepEqual(sent, [[0.125, 0.25]]);
  }
  // The refused message may have been the current position.
  pointer.rest();
  t.mock.timers.tick(15_000);
  assert.equal(sent.length, 2);
});
