/** The screens of the administration, in the order of their links. `also` are other words by which the palette finds one. */
export const ADMIN_PLACES = [
  { to: "/admin/overview", label: "Overview", also: "attention home" },
  { to: "/admin/people", label: "People", also: "users offboard deactivate" },
  { to: "/admin/canvases", label: "Canvases", also: "disable restore owner" },
  { to: "/admin/organisations", label: "Organisations", also: "domains tenancy" },
  { to: "/admin/quotas", label: "Quotas", also: "limits" },
  { to: "/admin/settings", label: "Settings", also: "configuration environment public links" },
  { to: "/admin/ai", label: "AI spend", also: "cost models usage" },
  { to: "/admin/tools", label: "AI tools", also: "mcp agents connected apps claude cursor oauth" },
  { to: "/admin/connections", label: "Connections", also: "external api headers grant" },
  { to: "/admin/audit", label: "Audit log", also: "history changes who export" },
  { to: "/admin/health", label: "Health", also: "nodes version disk status" },
] as const satisfies readonly { to: `/admin/${string}`; label: string; also: string }[];
