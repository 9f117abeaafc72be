/** The screens of the administration, in the order of their links. `also` are other words by which the palette finds one. */
export const ADMIN_PLACES = [
  { to: "/admin/people", label: "People", also: "users offboard deactivate" },
  { to: "/admin/canvases", label: "Canvases", also: "disable restore owner" },
  { to: "/admin/organisations", label: "Organisations", also: "domains tenancy" },
] as const satisfies readonly { to: `/admin/${string}`; label: string; also: string }[];
