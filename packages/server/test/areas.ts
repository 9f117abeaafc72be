import { globSync } from "node:fs";
import path from "node:path";

/** The root of the repository. */
export const ROOT = path.join(import.meta.dirname, "../../..");

/** What belongs together: a change of one of its sources is tested by its tests. Both are globs below the root of the repository. */
interface Area {
  /** Folders and files of the code, with the sections of the conformance suite that test it. A folder stands for all that is below it. */
  sources: string[];
  /** The tests: beside the sources, with a service, of the conformance suite, and in a browser. */
  tests: string[];
}

const SERVER = "packages/server";

/** Returns the area of a primitive: its folders have its name. `section` is the file of its section of the specification. */
const primitive = (name: string, section: string, own: Partial<Area> = {}): Area => ({
  sources: [
    `${SERVER}/src/primitives/${name}`,
    `packages/conformance/src/${name}`,
    `packages/conformance/src/${section}-*.ts`,
    ...(own.sources ?? []),
  ],
  tests: [
    `${SERVER}/src/primitives/${name}/**/*.test.ts`,
    `${SERVER}/test/primitives/${name}/**/*.test.ts`,
    `${SERVER}/test/conformance/{,postgres-}${name}.test.ts`,
    ...(own.tests ?? []),
  ],
});

/** The areas. `npm test -- kv` runs the tests of one; each folder with sources and each test file belongs to exactly one. */
export const AREAS = {
  kv: primitive("kv", "4.3"),
  collections: primitive("collections", "4.10"),
  submissions: primitive("submissions", "4.9"),
  files: primitive("files", "4.4"),
  realtime: primitive("realtime", "{4.7,6}"),
  people: primitive("people", "4.2", { sources: [`${SERVER}/src/primitives/identity`] }),
  authoring: primitive("authoring", "4.8", { tests: [`${SERVER}/test/primitives/browser-publish.test.ts`] }),
  ai: primitive("ai", "4.5", {
    sources: [`${SERVER}/src/{organisation,drivers}/ai`],
    tests: [
      `${SERVER}/src/{organisation,drivers}/ai/*.test.ts`,
      `${SERVER}/test/{organisation,drivers}/ai*.test.ts`,
      `${SERVER}/test/primitives/browser-ai.test.ts`,
    ],
  }),
  connections: primitive("connections", "4.6", {
    sources: [`${SERVER}/src/organisation/connections`, `${SERVER}/src/drivers/outbound`],
    tests: [
      `${SERVER}/src/{organisation/connections,drivers/outbound}/*.test.ts`,
      `${SERVER}/test/organisation/connection-*.test.ts`,
      `${SERVER}/test/drivers/outbound-*.test.ts`,
      `${SERVER}/test/management/management-connections.test.ts`,
      `${SERVER}/test/primitives/browser-connections.test.ts`,
    ],
  }),
  transfer: {
    sources: [`${SERVER}/src/primitives/transfer`],
    tests: [
      `${SERVER}/src/primitives/transfer/*.test.ts`,
      `${SERVER}/test/management/{data-*,seed-data,restore-own}.test.ts`,
    ],
  },
  runtime: {
    sources: [
      `${SERVER}/src/{primitives/*.ts,primitives/page-errors,operations,pipeline,access}`,
      "packages/conformance/src/{pipeline,adjacent,4.1-*.ts,4.11-*.ts}",
      "packages/conformance/src/!(serving|lifecycle|[0-9]*).ts",
      "packages/protocol/src",
    ],
    tests: [
      `${SERVER}/src/{primitives,operations,pipeline,access}/*.test.ts`,
      `${SERVER}/test/{operations,pipeline}/*.test.ts`,
      `${SERVER}/test/primitives/{answers,change-feed,in-process,list-slices,logged-calls,optional-reads,permissions,routes}.test.ts`,
      `${SERVER}/test/primitives/{browser-limits,page-errors/*}.test.ts`,
      `${SERVER}/test/conformance/{pipeline,second-path}.test.ts`,
      "packages/protocol/src/*.test.ts",
    ],
  },
  http: {
    sources: [`${SERVER}/src/{http,async,metrics}`, "deploy/{grafana,prometheus}"],
    tests: [
      `${SERVER}/src/{http,async,metrics}/*.test.ts`,
      `${SERVER}/test/http/{fair,health,hostile,hosts,http,log,metrics,proxy,request,slow-readers}*.test.ts`,
    ],
  },
  mcp: {
    sources: [`${SERVER}/src/mcp`],
    tests: [`${SERVER}/src/mcp/**/*.test.ts`, `${SERVER}/test/mcp/*.test.ts`],
  },
  "sign-in": {
    sources: [
      `${SERVER}/src/{sign-in,oauth,identity,token-page,crypto}`,
      "packages/conformance/src/{authentication,5-*.ts}",
    ],
    tests: [
      `${SERVER}/src/{sign-in,oauth,oauth/clients,identity,token-page,crypto}/*.test.ts`,
      `${SERVER}/test/{sign-in,identity,crypto}/*.test.ts`,
      `${SERVER}/test/primitives/{sdk-token,me-resources}.test.ts`,
      `${SERVER}/test/conformance/{authentication,modes,oidc,postgres-access}.test.ts`,
    ],
  },
  mail: { sources: [`${SERVER}/src/mail`], tests: [`${SERVER}/test/mail/*.test.ts`] },
  canvases: {
    sources: [`${SERVER}/src/canvases`],
    tests: [`${SERVER}/src/canvases/**/*.test.ts`, `${SERVER}/test/canvases/*.test.ts`],
  },
  content: {
    sources: [`${SERVER}/src/content`, "packages/conformance/src/{serving,lifecycle.ts,serving.ts,3-*.ts}"],
    tests: [
      `${SERVER}/src/content/*.test.ts`,
      `${SERVER}/test/content/{browser,built,canvas,default,former,gate,preview,public,refusal,retired,root,sdk,serve,stylesheet}*.test.ts`,
      `${SERVER}/test/conformance/serving.test.ts`,
    ],
  },
  management: {
    sources: [`${SERVER}/src/{management/*.ts,management/responses,organisation/*.ts}`],
    tests: [
      `${SERVER}/test/management/{acts,browser,bundle,fair,given,management-[!c],transfer,version}*.test.ts`,
      `${SERVER}/test/management/management.test.ts`,
      `${SERVER}/test/organisation/{person-rows*,person-search*,teams,tenancy,usage,view-counts}.test.ts`,
    ],
  },
  administration: {
    sources: [`${SERVER}/src/{management/admin,scim}`],
    tests: [`${SERVER}/test/management/admin-*.test.ts`, `${SERVER}/test/scim/*.test.ts`],
  },
  dashboard: {
    sources: [`${SERVER}/src/dashboard`, "packages/dashboard/src"],
    tests: ["packages/dashboard/src/**/*.test.ts", `${SERVER}/test/dashboard/*.test.ts`],
  },
  drivers: {
    sources: [`${SERVER}/src/{drivers/*.ts,drivers/db,drivers/blobs,disk}`, `${SERVER}/migrations`],
    tests: [
      `${SERVER}/src/drivers/*.test.ts`,
      `${SERVER}/src/{drivers/db,drivers/blobs,disk}/**/*.test.ts`,
      `${SERVER}/test/drivers/{blobs,db,disk,migrate,postgres,private,sqlite,tables}*.test.ts`,
      `${SERVER}/test/conformance/s3.test.ts`,
    ],
  },
  bus: {
    sources: [`${SERVER}/src/drivers/bus`],
    tests: [`${SERVER}/src/drivers/bus/**/*.test.ts`, `${SERVER}/test/drivers/{bus,redis}*.test.ts`],
  },
  backup: {
    sources: [`${SERVER}/src/backup`],
    tests: [`${SERVER}/src/backup/*.test.ts`, `${SERVER}/test/backup/*.test.ts`],
  },
  instance: {
    sources: [`${SERVER}/src/{*.ts,commands,config,copy,instance}`, `${SERVER}/start.js`],
    tests: [
      `${SERVER}/src/{config,instance}/*.test.ts`,
      `${SERVER}/test/{config/*,instance/*,service/{start,stop,tarball}}.test.ts`,
    ],
  },
  deploy: { sources: ["deploy"], tests: [`${SERVER}/test/deploy/*.test.ts`] },
  scale: {
    sources: [`${SERVER}/test/scale`],
    tests: [`${SERVER}/test/scale/*.test.ts`, `${SERVER}/test/conformance/scale.test.ts`],
  },
  docs: {
    sources: [`${SERVER}/src/{openapi,docs,doc-pages,agents}`, "docs", "*.md", "packages/*/README.md"],
    tests: [
      `${SERVER}/src/openapi/*.test.ts`,
      `${SERVER}/test/content/doc-pages*.test.ts`,
      `${SERVER}/test/service/{agent-pages,browser-pages,doc-samples,docs,recipes-browser,tutorial-browser}.test.ts`,
    ],
  },
  cli: { sources: ["packages/cli"], tests: ["packages/cli/{src,test}/**/*.test.ts"] },
  sdk: {
    sources: ["packages/{sdk,react}"],
    tests: [
      "packages/{sdk,react}/test/*.test.ts",
      `${SERVER}/test/primitives/browser-{sdk,react,votes}.test.ts`,
      `${SERVER}/test/service/vite-browser.test.ts`,
    ],
  },
  examples: { sources: ["examples"], tests: ["examples/*.test.ts"] },
  code: {
    sources: ["tools", "*.json", `${SERVER}/test/{areas,run}.ts`, `${SERVER}/test/{support,mutants}`],
    tests: [
      `${SERVER}/test/service/{layers,test-files,untracked-promises,workflows}.test.ts`,
      `${SERVER}/test/support/*.test.ts`,
      `${SERVER}/test/http/slow-patterns.test.ts`,
    ],
  },
} satisfies Record<string, Area>;

export type AreaName = keyof typeof AREAS;

export const AREA_NAMES = Object.keys(AREAS) as AreaName[];

/** The tiers: without a service, with one on SQLite, and with browsers, processes, namespaces, or PostgreSQL over HTTP. */
export const TIERS = ["unit", "service", "system"] as const;

export type Tier = (typeof TIERS)[number];

/** Tests without a service that are not beside their source. */
const UNIT = /^packages\/(sdk|react)\/test\/(?!package|react-package|bundle|docs|server-rendering)/;
const SYSTEM =
  /browser|crash|namespace|disk-full|disk-reserve|outage|process|interrupted|tarball|vite-|conformance\/(postgres|scale)|test\/scale\/|service\/(agent|doc|start|stop)|mcp\/(agent-journey|official-conformance)|^examples|test\/(package|react-package|bundle|docs|server-rendering)\./;

/** Returns the tier of a test file. */
export const tierOf = (file: string): Tier => {
  if (SYSTEM.test(file)) return "system";
  return /^packages\/\w+\/src\//.test(file) || UNIT.test(file) ? "unit" : "service";
};

/**
 * Test files that need a process of their own: `vite-browser` runs Vite, `outbound-namespace` starts itself in a network namespace,
 * `canvas-data` changes the list of primitives, `delivery` and `stopped-uploads` mock timers while services run, and `realtime-leaks`
 * measures the memory of the process.
 */
const ALONE =
  /\/(vite-browser|outbound-namespace|canvas-data|delivery|stopped-uploads|realtime-leaks)\.test\.ts$/;

/** Returns the files that match patterns, as paths below the root of the repository. */
export const filesOf = (patterns: string[]): string[] =>
  globSync(patterns, { cwd: ROOT, exclude: (file) => file.includes("node_modules") }).sort();

/** Returns the test files of an area. */
export const testsOf = (area: AreaName): string[] => filesOf(AREAS[area].tests);

/** Test files that run in one process. */
export interface Group {
  title: string;
  files: string[];
}

/** The kinds of files that share processes whatever their area: about how many seconds a file takes, and how many share a process. */
const KINDS = {
  browsers: { seconds: 8, most: 18 },
  conformance: { seconds: 8, most: 6 },
  processes: { seconds: 6, most: 8 },
  unit: { seconds: 0.1, most: 1000 },
};

type Kind = keyof typeof KINDS;

/**
 * Returns the groups of the test files of some areas and tiers. Files share a process, because a small file takes most of its time to start
 * one, and a browser: those with a service share it with their area, the others with their kind. The groups of a kind are about as long.
 */
export function groupsOf(areas: AreaName[], tiers: readonly Tier[] = TIERS): Group[] {
  const kinds = new Map<Kind, string[]>();
  const groups: (Group & { seconds: number })[] = [];
  for (const area of areas) {
    const own: string[] = [];
    for (const file of testsOf(area)) {
      const kind = kindOf(file, area);
      if (!tiers.includes(tierOf(file))) continue;
      if (ALONE.test(file))
        groups.push({ title: path.basename(file, ".test.ts"), files: [file], seconds: 8 });
      else if (kind === undefined) own.push(file);
      else kinds.set(kind, [...(kinds.get(kind) ?? []), file]);
    }
    if (own.length > 0) groups.push({ title: area, files: own, seconds: 2 * own.length });
  }
  for (const [kind, files] of kinds) {
    const { seconds, most } = KINDS[kind];
    const count = Math.ceil(files.length / most);
    for (let number = 0; number < count; number++) {
      const dealt = files.filter((_, index) => index % count === number);
      groups.push({ title: `${kind} ${number + 1}`, files: dealt, seconds: seconds * dealt.length });
    }
  }
  // The longest start first, so that no core waits for the last one.
  return groups.sort((a, b) => b.seconds - a.seconds);
}

/** Returns the kind of a test file; undefined for one that shares the process of its area. */
function kindOf(file: string, area: AreaName): Kind | undefined {
  const tier = tierOf(file);
  if (tier === "unit") return "unit";
  if (file.includes("/conformance/")) return "conformance";
  if (tier === "service") return;
  return file.includes("browser") || area === "examples" ? "browsers" : "processes";
}

/** Returns the areas whose sources or tests are among the files. */
export const areasOf = (files: string[]): AreaName[] =>
  AREA_NAMES.filter((name) => {
    const { sources, tests } = AREAS[name];
    const patterns = [...tests, ...sources.flatMap((source) => [source, `${source}/**`])];
    return files.some((file) => patterns.some((pattern) => path.matchesGlob(file, pattern)));
  });
