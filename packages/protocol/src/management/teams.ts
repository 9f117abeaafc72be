/** A named list of e-mail addresses that canvases can be shared with. */
export interface Team {
  id: string;
  name: string;
  createdAt: number;
  /** The id of the user who created the team. Only this user may change it. */
  createdBy: string;
  /** E-mail addresses in alphabetical order. */
  members: string[];
  /** The group at the sign-in provider whose members are those of the team; null if people choose them. */
  externalGroup: string | null;
}

/** A person in a team. `name` is null if they have never signed in. */
export interface TeamPerson {
  email: string;
  name: string | null;
}

/** A team as `GET /api/teams/{id}` returns it. */
export interface TeamDetails extends Team {
  creator: TeamPerson;
  /** The members with their names, in the order of `members`. */
  people: TeamPerson[];
  /** The number of canvases that are shared with the team. */
  canvases: number;
}

/** The response of `GET /api/teams`; `nextCursor` is null on the last page. */
export interface TeamList {
  teams: Team[];
  nextCursor: string | null;
}
