import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { canvasQuery, meQuery, queries, versionsQuery } from "./api/queries.ts";
import { parseListSearch } from "./canvas/list-search.ts";
import { listQuery } from "./canvas/lists.ts";
import { Frame } from "./frame/Frame.tsx";
import { NotFound, ScreenError } from "./frame/ScreenError.tsx";
import { Loading } from "./kit/Loading.tsx";
import { parseActivitySearch } from "./screens/activity/search.ts";
import { parseSpendSearch } from "./screens/admin/ai-spend/search.ts";
import { parseAuditSearch } from "./screens/admin/audit/search.ts";
import { ADMIN_PLACES } from "./screens/admin/places.ts";
import {
  parseAdminCanvasesSearch,
  parseOffboardingSearch,
  parsePeopleSearch,
} from "./screens/admin/search.ts";
import { parseSettingsSearch } from "./screens/admin/settings/search.ts";
import { checkerQuery } from "./screens/backend/policy/checker.ts";
import { parseBackendSearch } from "./screens/backend/search.ts";
import { parseDataSearch } from "./screens/data/search.ts";
import { parseSharingSearch } from "./screens/sharing/search.ts";
import { parseTeamsSearch } from "./screens/teams/search.ts";
import { parseSearch as parseVersionsSearch } from "./screens/versions/search.ts";

/*
 * The screens by their paths. Each screen is a chunk of its own. What it shows first is read while the chunk is loaded. The search parameters
 * of a screen are what its address keeps, such as a filter; anybody can write such an address, so they are parsed.
 */

const root = createRootRoute({
  loader: () => queries.ensureQueryData(meQuery),
  component: Frame,
});

const canvases = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: parseListSearch,
  loaderDeps: ({ search }) => search,
  // The screen shows what it knows until this has been read.
  loader: ({ deps }) => void queries.prefetchInfiniteQuery(listQuery(deps)),
  component: lazyRouteComponent(() => import("./screens/canvases/CanvasesScreen.tsx"), "CanvasesScreen"),
});

const make = createRoute({
  getParentRoute: () => root,
  path: "/new",
  component: lazyRouteComponent(() => import("./screens/new/NewScreen.tsx"), "NewScreen"),
});

const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyRouteComponent(() => import("./screens/account/AccountScreen.tsx"), "AccountScreen"),
});

const teams = createRoute({
  getParentRoute: () => root,
  path: "/teams",
  validateSearch: parseTeamsSearch,
  component: lazyRouteComponent(() => import("./screens/teams/TeamsScreen.tsx"), "TeamsScreen"),
});

const team = createRoute({
  getParentRoute: () => root,
  path: "/teams/$id",
  component: lazyRouteComponent(() => import("./screens/teams/TeamScreen.tsx"), "TeamScreen"),
});

const canvas = createRoute({
  getParentRoute: () => root,
  path: "/canvases/$id",
  loader: ({ params: { id } }) => queries.ensureQueryData(canvasQuery(id)),
  component: lazyRouteComponent(() => import("./screens/canvas/CanvasFrame.tsx"), "CanvasFrame"),
});

const overview = createRoute({
  getParentRoute: () => canvas,
  path: "/",
  component: lazyRouteComponent(() => import("./screens/overview/OverviewScreen.tsx"), "OverviewScreen"),
});

const newVersion = createRoute({
  getParentRoute: () => canvas,
  path: "/deploy",
  component: lazyRouteComponent(() => import("./screens/new/NewVersionScreen.tsx"), "NewVersionScreen"),
});

const sharing = createRoute({
  getParentRoute: () => canvas,
  path: "/sharing",
  validateSearch: parseSharingSearch,
  component: lazyRouteComponent(() => import("./screens/sharing/SharingScreen.tsx"), "SharingScreen"),
});

const data = createRoute({
  getParentRoute: () => canvas,
  path: "/data",
  validateSearch: parseDataSearch,
  component: lazyRouteComponent(() => import("./screens/data/DataScreen.tsx"), "DataScreen"),
});

const versions = createRoute({
  getParentRoute: () => canvas,
  path: "/versions",
  validateSearch: parseVersionsSearch,
  loader: ({ params: { id } }) => queries.ensureQueryData(versionsQuery(id)),
  component: lazyRouteComponent(() => import("./screens/versions/VersionsScreen.tsx"), "VersionsScreen"),
});

const backend = createRoute({
  getParentRoute: () => canvas,
  path: "/backend",
  validateSearch: parseBackendSearch,
  loader: () => void queries.prefetchQuery(checkerQuery),
  component: lazyRouteComponent(() => import("./screens/backend/BackendScreen.tsx"), "BackendScreen"),
});

const activity = createRoute({
  getParentRoute: () => canvas,
  path: "/activity",
  validateSearch: parseActivitySearch,
  component: lazyRouteComponent(() => import("./screens/activity/ActivityScreen.tsx"), "ActivityScreen"),
});

const admin = createRoute({
  getParentRoute: () => root,
  path: "/admin",
  component: lazyRouteComponent(() => import("./screens/admin/AdminFrame.tsx"), "AdminFrame"),
});

const adminStart = createRoute({
  getParentRoute: () => admin,
  path: "/",
  beforeLoad() {
    throw redirect({ to: ADMIN_PLACES[0].to, replace: true });
  },
});

const people = createRoute({
  getParentRoute: () => admin,
  path: "/people",
  validateSearch: parsePeopleSearch,
  component: lazyRouteComponent(() => import("./screens/admin/people/PeopleScreen.tsx"), "PeopleScreen"),
});

const person = createRoute({
  getParentRoute: () => admin,
  path: "/people/$userId",
  component: lazyRouteComponent(() => import("./screens/admin/people/PersonScreen.tsx"), "PersonScreen"),
});

const offboarding = createRoute({
  getParentRoute: () => admin,
  path: "/people/$userId/offboarding",
  validateSearch: parseOffboardingSearch,
  component: lazyRouteComponent(
    () => import("./screens/admin/people/offboarding/OffboardingScreen.tsx"),
    "OffboardingScreen",
  ),
});

const adminCanvases = createRoute({
  getParentRoute: () => admin,
  path: "/canvases",
  validateSearch: parseAdminCanvasesSearch,
  component: lazyRouteComponent(
    () => import("./screens/admin/canvases/AdminCanvasesScreen.tsx"),
    "AdminCanvasesScreen",
  ),
});

const adminCanvas = createRoute({
  getParentRoute: () => admin,
  path: "/canvases/$canvasId",
  component: lazyRouteComponent(
    () => import("./screens/admin/canvases/AdminCanvasScreen.tsx"),
    "AdminCanvasScreen",
  ),
});

const connections = createRoute({
  getParentRoute: () => admin,
  path: "/connections",
  component: lazyRouteComponent(
    () => import("./screens/admin/connections/ConnectionsScreen.tsx"),
    "ConnectionsScreen",
  ),
});

const connection = createRoute({
  getParentRoute: () => admin,
  path: "/connections/$profile",
  component: lazyRouteComponent(
    () => import("./screens/admin/connections/ConnectionScreen.tsx"),
    "ConnectionScreen",
  ),
});

const organisations = createRoute({
  getParentRoute: () => admin,
  path: "/organisations",
  component: lazyRouteComponent(
    () => import("./screens/admin/organisations/OrganisationsScreen.tsx"),
    "OrganisationsScreen",
  ),
});

const adminOverview = createRoute({
  getParentRoute: () => admin,
  path: "/overview",
  component: lazyRouteComponent(
    () => import("./screens/admin/overview/AdminOverviewScreen.tsx"),
    "AdminOverviewScreen",
  ),
});

const quotas = createRoute({
  getParentRoute: () => admin,
  path: "/quotas",
  component: lazyRouteComponent(() => import("./screens/admin/quotas/QuotasScreen.tsx"), "QuotasScreen"),
});

const settings = createRoute({
  getParentRoute: () => admin,
  path: "/settings",
  validateSearch: parseSettingsSearch,
  component: lazyRouteComponent(
    () => import("./screens/admin/settings/SettingsScreen.tsx"),
    "SettingsScreen",
  ),
});

const aiSpend = createRoute({
  getParentRoute: () => admin,
  path: "/ai",
  validateSearch: parseSpendSearch,
  component: lazyRouteComponent(() => import("./screens/admin/ai-spend/AiSpendScreen.tsx"), "AiSpendScreen"),
});

const tools = createRoute({
  getParentRoute: () => admin,
  path: "/tools",
  component: lazyRouteComponent(() => import("./screens/admin/tools/ToolsScreen.tsx"), "ToolsScreen"),
});

const audit = createRoute({
  getParentRoute: () => admin,
  path: "/audit",
  validateSearch: parseAuditSearch,
  component: lazyRouteComponent(() => import("./screens/admin/audit/AuditScreen.tsx"), "AuditScreen"),
});

const health = createRoute({
  getParentRoute: () => admin,
  path: "/health",
  component: lazyRouteComponent(() => import("./screens/admin/health/HealthScreen.tsx"), "HealthScreen"),
});

const organisation = createRoute({
  getParentRoute: () => admin,
  path: "/organisations/$orgId",
  component: lazyRouteComponent(
    () => import("./screens/admin/organisations/OrganisationScreen.tsx"),
    "OrganisationScreen",
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([
    canvases,
    make,
    account,
    teams,
    team,
    canvas.addChildren([newVersion, overview, sharing, data, versions, backend, activity]),
    admin.addChildren([
      adminStart,
      adminOverview,
      people,
      person,
      offboarding,
      adminCanvases,
      adminCanvas,
      connections,
      connection,
      organisations,
      organisation,
      quotas,
      settings,
      aiSpend,
      tools,
      audit,
      health,
    ]),
  ]),
  defaultPreload: "intent",
  // The queries know how old their data is.
  defaultPreloadStaleTime: 0,
  defaultPendingComponent: () => <Loading what="the screen" />,
  defaultErrorComponent: ScreenError,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
