import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import { atEnd, type Scope } from "./service.ts";

/** Starts a TLS proxy for a loopback port with a self-signed certificate, and returns its port. */
export async function startTls(scope: Scope, port: number): Promise<number> {
  const server = tls.createServer(certificate(), (socket) => {
    const inner = net.connect(port, "127.0.0.1");
    // An error on either side ends the other side: both may close the connection at any time.
    inner.on("error", () => socket.destroy());
    socket.on("error", () => inner.destroy());
    socket.pipe(inner).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket: net.Socket) =>
    sockets.add(socket.on("close", () => sockets.delete(socket))),
  );
  atEnd(scope, async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}

/** Encodes a DER value shorter than 64 KiB. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}
const hex = (text: string) => Buffer.from(text, "hex");

const ECDSA_SHA256 = der(0x30, der(0x06, hex("2a8648ce3d040302")));
const COMMON_NAME = hex("550403");

/** Returns a self-signed X.509 v1 certificate. */
function certificate(): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = der(0x30, der(0x31, der(0x30, der(0x06, COMMON_NAME), der(0x0c, Buffer.from("localhost")))));
  const time = (year: string) => der(0x17, Buffer.from(`${year}0101000000Z`));
  const content = der(
    0x30,
    der(0x02, hex("01")),
    ECDSA_SHA256,
    name,
    der(0x30, time("25"), time("49")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = sign("sha256", content, privateKey);
  const whole = der(0x30, content, ECDSA_SHA256, der(0x03, hex("00"), signature));
  const cert = `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }) as string, cert };
}
