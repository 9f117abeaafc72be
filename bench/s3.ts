import { outputOf, startNode, startServer } from "./child.ts";
import { figure, median, type Table } from "./table.ts";

const ROUNDS = 7;

/**
 * Measures the CPU time of the client for each request that writes or reads a blob of 10 KiB on S3: of the driver, of bare undici, which signs
 * and hashes nothing, and of `aws4fetch`. Also that of loading the driver.
 */
export async function s3(): Promise<Table> {
  const server = await startServer(0, "bench/bare-s3.ts", []);
  try {
    const printed = await outputOf(
      startNode(1, "bench/s3-client.ts", [server.url.replace("localhost", "127.0.0.1"), String(ROUNDS)]),
    );
    const rounds = printed
      .trim()
      .split("\n")
      .map((line): Record<string, number> => JSON.parse(line));
    const imports: number[] = [];
    for (let round = 0; round < ROUNDS; round++)
      imports.push(Number(await outputOf(startNode(1, "bench/s3-import.ts", []))));
    const row = (what: string, name: string) => [
      what,
      ...["PUT", "GET"].map((method) =>
        figure(median(rounds.map((round) => round[`${name} ${method}`] ?? Number.NaN))),
      ),
    ];
    return {
      title: "s3: client CPU of a blob of 10 KiB",
      conditions: `16 requests at once to a server on loopback that verifies nothing, medians of ${ROUNDS} rounds of 3,000 requests each. Loading the driver takes ${figure(median(imports), 1)} ms of CPU in a service, from the compile cache (target 30).`,
      columns: ["client", "PUT µs (target 150)", "GET µs"],
      rows: [row("Easel", "easel"), row("bare undici", "undici"), row("aws4fetch", "aws4fetch")],
    };
  } finally {
    await server.stop();
  }
}
