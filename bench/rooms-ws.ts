/**
 * A minimal WebSocket server on `ws`, for comparison. It understands the same JSON frames as Easel and sends each message to every
 * subscriber, but checks no rights and no limits.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { userOf } from "./person.ts";

/** The subscribed sockets by room name. */
const rooms = new Map<string, Set<WebSocket>>();

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });

sockets.on("connection", (socket, request) => {
  const from = userOf(request.headers.cookie);
  const joined = new Set<Set<WebSocket>>();

  socket.on("message", (bytes) => {
    const { type, channel, event, data } = JSON.parse(bytes.toString());
    const name = `${request.url}:${channel}`;
    const room = rooms.get(name) ?? new Set();
    rooms.set(name, room);
    if (type === "subscribe") {
      room.add(socket);
      joined.add(room);
      socket.send(JSON.stringify({ type: "subscribed", channel }));
    } else {
      const message = JSON.stringify({ type: "message", channel, event, data, from });
      for (const member of room) member.send(message);
    }
  });
  socket.on("close", () => {
    for (const room of joined) room.delete(socket);
  });
});

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`ws at http://localhost:${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", () => process.exit());
