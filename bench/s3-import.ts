/* Prints the CPU time in milliseconds that loading the driver for S3 adds to a process that has what a service loads anyway. */
import { enableCompileCache } from "node:module";

enableCompileCache();
await import("../packages/server/src/service.ts");
const before = process.cpuUsage();
await import("../packages/server/src/drivers/blobs/s3/s3.ts");
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${(user + system) / 1000}`);
process.exit(0);
