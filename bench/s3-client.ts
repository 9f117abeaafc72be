import { createHash, randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import { Pool } from "undici";
import { s3 } from "../packages/server/src/drivers/blobs/s3/s3.ts";

/*
 * Writes and reads objects of 10 KiB by three clients in turn, and prints the CPU time of this process for each request in microseconds, one
 * object of JSON for each round. The argument is the origin of the server.
 */
const [, , origin = "", rounds = "1"] = process.argv;
const [COUNT, AT_ONCE, BYTES] = [3_000, 16, 10 * 1024];
const keys = { accessKeyId: "AKID", secretAccessKey: "secret" };

const bodies = Array.from({ length: 500 }, () => {
  const bytes = randomBytes(BYTES);
  return { bytes, key: createHash("sha256").update(bytes).digest("hex") };
});
type Body = (typeof bodies)[number];

interface Client {
  put(body: Body): Promise<unknown>;
  get(body: Body): Promise<Uint8Array>;
}

const blobs = await s3({
  settings: { bucket: "b", prefix: "", endpoint: origin, region: "us-east-1", pathStyle: true, keys },
  staging: { directory: join(tmpdir(), `easel-bench-${process.pid}`), reserve: 0 },
  exclusively: (work) => work(),
});
const pool = new Pool(origin, { allowH2: false });
const aws = new AwsClient({ ...keys, service: "s3", region: "us-east-1", retries: 0 });
async function* once(bytes: Uint8Array) {
  yield bytes;
}

const CLIENTS: Record<string, Client> = {
  easel: {
    put: ({ bytes }) => blobs.put(once(bytes)),
    get: async ({ key }) => Buffer.concat((await (await blobs.get(key))?.toArray()) ?? []),
  },
  undici: {
    put: async ({ bytes, key }) =>
      (await pool.request({ method: "PUT", path: `/bare/${key}`, body: bytes })).body.dump(),
    get: async ({ key }) => (await pool.request({ method: "GET", path: `/bare/${key}` })).body.bytes(),
  },
  aws4fetch: {
    put: async ({ bytes, key }) =>
      (await aws.fetch(`${origin}/aws/${key}`, { method: "PUT", body: bytes })).arrayBuffer(),
    get: async ({ key }) => new Uint8Array(await (await aws.fetch(`${origin}/aws/${key}`)).arrayBuffer()),
  },
};

async function measure(work: (body: Body) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  let next = 0;
  const worker = async () => {
    while (next < COUNT) await work(bodies[next++ % bodies.length] as Body);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / COUNT;
}

for (let round = 0; round <= Number(rounds); round++) {
  const figures: Record<string, number> = {};
  for (const [name, client] of Object.entries(CLIENTS)) {
    figures[`${name} PUT`] = await measure(client.put);
    figures[`${name} GET`] = await measure(async (body) => {
      if ((await client.get(body)).length !== BYTES) throw new Error(`${name} reads something else`);
    });
  }
  // The first round warms up.
  if (round > 0) process.stdout.write(`${JSON.stringify(figures)}\n`);
}
process.exit(0);
