import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";
import { userOf } from "./person.ts";

/** A Socket.IO server with rooms, for comparison. It is configured for performance as the documentation of Socket.IO advises. */
const server = createServer();
const io = new Server(server, {
  transports: ["websocket"],
  perMessageDeflate: false,
  httpCompression: false,
  serveClient: false,
});

io.on("connection", (socket) => {
  const { canvas } = socket.handshake.query;
  const from = userOf(socket.handshake.headers.cookie);
  Object.assign(socket.conn, { request: null });

  socket.on("subscribe", (channel: string) => {
    socket.join(`${canvas}:${channel}`);
    socket.emit("subscribed", channel);
  });
  socket.on("publish", (channel: string, event: string, data: unknown) => {
    io.to(`${canvas}:${channel}`).emit("message", { channel, event, data, from });
  });
});

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`socket.io at http://localhost:${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", () => process.exit());
