import { type Server, startServer } from "./child.ts";
import { type Case, compare } from "./compare.ts";
import { startEasel } from "./easel.ts";
import { startNginx } from "./nginx.ts";
import { type Published, publish } from "./published.ts";
import type { Table } from "./table.ts";

const SIZE = 10 * 1024;

/**
 * Compares Easel with bare servers that serve the same page of 10 KiB. On Easel, a signed-in user requests the page, or an anonymous
 * visitor requests it by a Public link.
 */
export async function staticPage(): Promise<Table> {
  const html = `<!doctype html><title>Bench</title><p>${"x".repeat(SIZE)}`.slice(0, SIZE);
  const servers: Server[] = [];
  const start = async <Some extends Server | null>(starting: Promise<Some>) => {
    const server = await starting;
    if (server !== null) servers.push(server);
    return server;
  };
  try {
    const easel = await start(startEasel(0));
    const bare = await start(startServer(0, "bench/bare.ts", [html]));
    const nginx = await start(startNginx(html));
    const cases = casesOf(
      await publish(easel.url, html),
      await publish(easel.url, html, { files: 999 }),
      await publish(easel.url, html, { versions: 50 }),
      nginx,
    );
    return await compare("static: a page of 10 KiB against a bare node:http server", bare, easel, cases);
  } finally {
    for (const server of servers) await server.stop();
  }
}

function casesOf(
  { signedIn, publicLink }: Published,
  ofManyFiles: Published,
  ofManyVersions: Published,
  nginx: Server | null,
): Case[] {
  const cases: Case[] = [
    { name: "signed in", target: 0.6, requests: [signedIn] },
    { name: "public link", target: 0.7, requests: [publicLink] },
    { name: "signed in, one of 1,000 files", beside: "signed in", requests: [ofManyFiles.signedIn] },
    { name: "signed in, the last of 50 versions", beside: "signed in", requests: [ofManyVersions.signedIn] },
  ];
  if (nginx !== null) cases.push({ name: "public link, nginx as bare", bare: nginx, requests: [publicLink] });
  return cases;
}
