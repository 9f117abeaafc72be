import { openCanvases } from "./canvases.ts";
import { type Core, type Server, startServer } from "./child.ts";
import type { Crowd, Dialect } from "./crowd.ts";
import { startEasel } from "./easel.ts";
import { cookieOf } from "./person.ts";

/** Sockets per room: as many as a canvas may have. */
export const PER_ROOM = 30;

/** People per room. Each has the same number of sockets, one of which publishes. */
export const PEOPLE = 3;

/** A channel on which every viewer may publish. */
const CHANNEL = "participants:room";
const EVENT = "move";

/** A kind of server to compare: how to start it, how to create rooms on it, and its protocol. */
export interface Kind {
  name: string;
  start(core: Core): Promise<Server>;
  /** Creates rooms on a server of this kind. Returns the path of each room and the cookies of the people. */
  open(server: Server, rooms: number): Promise<Pick<Crowd, "rooms" | "people">>;
  dialect: Dialect;
}

/** Messages of about 100 bytes, one for each person. */
const DATA = Array.from({ length: PEOPLE }, (_, user) => ({
  by: String.fromCharCode("a".charCodeAt(0) + user),
  n: "00000000",
  item: "card-000417",
  to: { column: "Doing", index: 12 },
  at: 1750000000000,
}));

const FRAMES: Dialect = {
  opening: [
    { send: JSON.stringify({ type: "subscribe", channel: CHANNEL }), answer: '{"type":"subscribed"' },
  ],
  publish: DATA.map((data) => JSON.stringify({ type: "publish", channel: CHANNEL, event: EVENT, data })),
  message: { at: '{"type":"'.length, is: "m" },
};

/**
 * The frames of Socket.IO. The first digit of a frame is that of the Engine.IO 4 protocol: `0` open, `2` ping, `3` pong, `4` message. In a
 * message, a digit of the Socket.IO 5 protocol follows: `40` is a connect, and `42` is an event.
 */
const PACKETS: Dialect = {
  opening: [
    { send: "", answer: "0{" },
    { send: "40", answer: "40{" },
    { send: `42${JSON.stringify(["subscribe", CHANNEL])}`, answer: '42["subscribed"' },
  ],
  publish: DATA.map((data) => `42${JSON.stringify(["publish", CHANNEL, EVENT, data])}`),
  message: { at: '42["'.length, is: "m" },
  beat: { ask: "2", answer: "3" },
};

function plain(count: number, pathOf: (room: number) => string): Pick<Crowd, "rooms" | "people"> {
  return {
    rooms: Array.from({ length: count }, (_, room) => pathOf(room)),
    people: Array.from({ length: PEOPLE }, (_, user) => cookieOf(user)),
  };
}

/** The kinds of servers to compare. The first one is Easel. */
export const KINDS: Kind[] = [
  {
    name: "this",
    start: startEasel,
    async open({ url }, rooms) {
      const { slugs, people } = await openCanvases(url, rooms, PEOPLE);
      return { rooms: slugs.map((slug) => `/v1/c/${slug}/realtime`), people };
    },
    dialect: FRAMES,
  },
  {
    name: "socket.io",
    start: (core) => startServer(core, "bench/rooms-socketio.ts", []),
    open: async (_, rooms) => plain(rooms, (room) => `/socket.io/?EIO=4&transport=websocket&canvas=${room}`),
    dialect: PACKETS,
  },
  {
    name: "ws",
    start: (core) => startServer(core, "bench/rooms-ws.ts", []),
    open: async (_, rooms) => plain(rooms, (room) => `/${room}`),
    dialect: FRAMES,
  },
];

/** Creates rooms on a server of this kind. Returns the options for opening their sockets. */
export async function createRooms(kind: Kind, server: Server, count: number): Promise<Crowd> {
  const { rooms, people } = await kind.open(server, count);
  return { port: server.port, pid: server.pid, rooms, people, perRoom: PER_ROOM, dialect: kind.dialect };
}
