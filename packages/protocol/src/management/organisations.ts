/** An organisation: its members are the users whose e-mail address has one of its domains. */
export interface Organisation {
  id: string;
  name: string;
  /** The domains in lower case, in alphabetical order. */
  domains: string[];
  createdAt: number;
  /** Number of members who have signed in and are not deactivated. */
  members: number;
}

/** Active people whose organisation a change would change: their number, and the first 20 by e-mail address. */
export interface MovedPeople {
  count: number;
  people: { id: string; email: string; name: string }[];
}

/** What it would mean if an organisation had other domains. */
export interface OrganisationPreview {
  /** Who would become a member. */
  joining: MovedPeople;
  /** Who would not be a member any more. */
  leaving: MovedPeople;
  /** The domains that are those of another organisation now, which would lose them. */
  taken: { domain: string; org: { id: string; name: string } }[];
  /** The number of canvases that all members may open. */
  canvases: number;
}

/** The response of `GET /api/admin/orgs`, sorted by id. */
export interface OrganisationList {
  orgs: Organisation[];
}
