import assert from "node:assert/strict";
import { test } from "node:test";
import { serverOptions } from "./postgres-options.ts";

/** Returns `off`, or which checks of a certificate the URL asks for. */
function checksOf(url: string): string {
  const { ssl } = serverOptions(url);
  if (ssl === false) return "off";
  if (ssl.rejectUnauthorized !== true) return "none";
  return ssl.checkServerIdentity === undefined ? "authority and name" : "authority";
}

/** Any file that exists. */
const FILE = encodeURIComponent(import.meta.filename);

for (const [url, checks] of [
  ["postgres://easel:x@db.example/easel", "authority and name"],
  ["postgres://easel:x@10.0.0.5:6432/easel", "authority and name"],
  ["postgres://easel:x@127.1/easel", "authority and name"],
  ["postgres://easel:x@localhost.example/easel", "authority and name"],
  ["postgres://easel:x@localhost,db.example/easel", "authority and name"],
  ["postgres://easel:x@localhost/easel", "off"],
  ["postgres://easel:x@127.0.0.1:5433/easel", "off"],
  ["postgres://easel:x@[::1]/easel", "off"],
  ["postgres:///easel", "off"],
  ["postgres:///easel?host=/run/postgresql", "off"],
  ["postgres://easel@%2Frun%2Fpostgresql/easel", "off"],
  ["postgres:///easel?host=db.example", "authority and name"],
  ["postgres://easel:x@db.example/easel?sslmode=disable", "off"],
  ["postgres://easel:x@db.example/easel?sslmode=require", "none"],
  ["postgres://easel:x@db.example/easel?sslmode=require&channel_binding=require", "authority and name"],
  ["postgres://easel:x@db.example/easel?sslmode=require&channel_binding=prefer", "none"],
  ["postgres://easel:x@db.example/easel?sslmode=no-verify", "none"],
  [`postgres://easel:x@db.example/easel?sslmode=require&sslrootcert=${FILE}`, "authority"],
  [`postgres://easel:x@db.example/easel?sslmode=no-verify&sslrootcert=${FILE}`, "none"],
  ["postgres://easel:x@db.example/easel?sslmode=verify-ca", "authority"],
  ["postgres://easel:x@localhost/easel?sslmode=verify-full", "authority and name"],
  [`postgres://easel:x@localhost/easel?sslrootcert=${FILE}`, "authority and name"],
] as const)
  test(`${url.replace(FILE, "FILE")}: checks of the certificate: ${checks}`, () =>
    assert.equal(checksOf(url), checks));

test("hosts and ports are read from the URL; the parameters of TLS are taken out of it, others stay", () => {
  const { url, host, port, ssl } = serverOptions(
    `postgres://easel:p%40ss@db.example:6432/easel?sslmode=verify-full&sslrootcert=${FILE}&sslcert=${FILE}&sslkey=${FILE}&channel_binding=prefer&connect_timeout=3`,
  );
  assert.equal(url, "postgres://easel:p%40ss@db.example:6432/easel?connect_timeout=3");
  assert.deepEqual([host, port], [["db.example"], [6432]]);
  assert.ok(ssl);
  for (const file of [ssl.ca, ssl.cert, ssl.key]) assert.match(String(file), /Any file that exists/);
});

test("a Unix socket is a directory, an IPv6 address has no brackets", () => {
  assert.equal(serverOptions("postgres:///easel?host=/run/postgresql").host, "/run/postgresql");
  assert.deepEqual(serverOptions("postgres://easel@[::1]/easel").host, ["::1"]);
});

test("without sslrootcert, or with `system`, the certificate authorities of Node apply", () => {
  for (const parameter of ["", "?sslrootcert=system"])
    assert.equal(
      (serverOptions(`postgres://db.example/easel${parameter}`).ssl as { ca?: string }).ca,
      undefined,
    );
});

for (const [url, message] of [
  [
    "postgres://db.example/easel?sslmode=prefer",
    /SERVICE_DATABASE_URL has `sslmode=prefer`; it may be disable, require/,
  ],
  ["postgres://db.example/easel?sslmode=", /it may be/],
  ["postgres://localhost/easel?sslmode=verify_full", /it may be/],
  ["postgres://db.example/easel?ssl=true", /use `sslmode`/],
  [
    "postgres://db.example/easel?sslrootcert=/no/such/ca.pem",
    /`sslrootcert=\/no\/such\/ca.pem`, which cannot be read/,
  ],
  ["postgres://10.0.0.5,10.0.0.6/easel", /name them instead of giving IP addresses/],
] as const)
  test(`${url} is refused with a message that names the parameter`, () =>
    assert.throws(() => serverOptions(url), { name: "Error", message }));
