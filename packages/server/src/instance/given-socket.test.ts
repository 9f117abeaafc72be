import assert from "node:assert/strict";
import { openSync } from "node:fs";
import { test } from "node:test";
import { portOfSocket, takeSocket } from "./given-socket.ts";

const OWN = String(process.pid);

const ROWS: [what: string, variables: Record<string, string>, socket: number | undefined][] = [
  ["no variables", {}, undefined],
  ["one socket for this process", { LISTEN_PID: OWN, LISTEN_FDS: "1", LISTEN_FDNAMES: "easel.socket" }, 3],
  ["no socket for this process", { LISTEN_PID: OWN, LISTEN_FDS: "0" }, undefined],
  ["a socket for another process", { LISTEN_PID: String(process.ppid), LISTEN_FDS: "1" }, undefined],
  ["several for another process", { LISTEN_PID: "1", LISTEN_FDS: "2" }, undefined],
  ["a socket for no process", { LISTEN_FDS: "1" }, undefined],
  ["no number of sockets", { LISTEN_PID: OWN }, undefined],
  ["a process that only begins like this one", { LISTEN_PID: `${OWN}0`, LISTEN_FDS: "1" }, undefined],
];
for (const [what, variables, socket] of ROWS) {
  test(`${what}: ${socket === undefined ? "none is taken" : `file descriptor ${socket}`}, and no other process sees the variables`, () => {
    const environment: Record<string, string | undefined> = { ...variables, SERVICE_PORT: "1" };
    assert.equal(takeSocket(environment), socket);
    assert.deepEqual(environment, { SERVICE_PORT: "1" });
  });
}

for (const sockets of ["2", "-1", "many", "1 "]) {
  test(`${sockets} sockets are refused`, () => {
    assert.throws(() => takeSocket({ LISTEN_PID: OWN, LISTEN_FDS: sockets }), /keep one ListenStream/);
  });
}

test("in dev mode a socket that others can reach is refused", () => {
  const at = (address: string) => () => ({ address, family: "", port: 3000 });
  for (const address of ["0.0.0.0", "::", "10.0.0.5", "fd00::5"]) {
    assert.throws(() => portOfSocket(3, { authMode: "dev" }, at(address)), /must be a loopback address/);
    for (const authMode of ["oidc", "proxy"] as const)
      assert.equal(portOfSocket(3, { authMode }, at(address)), 3000);
  }
  for (const address of ["127.0.0.1", "::1"])
    assert.equal(portOfSocket(3, { authMode: "dev" }, at(address)), 3000);
});

test("a Unix socket, which has no port, a file and nothing are refused", () => {
  const other = /something else than a TCP socket/;
  assert.throws(() => portOfSocket(3, { authMode: "oidc" }, () => ({})), other);
  for (const fd of [openSync(import.meta.filename, "r"), 4_000])
    assert.throws(() => portOfSocket(fd, { authMode: "oidc" }), other);
});
