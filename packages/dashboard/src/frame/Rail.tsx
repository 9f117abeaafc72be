import { Link } from "@tanstack/react-router";
import { BookOpen, CirclePlus, CircleUser, LayoutGrid, Search, ShieldCheck, Users } from "lucide-react";
import type { Me } from "../api/types.ts";
import { openPalette } from "./open-palette.ts";
import { PALETTE_KEYS } from "./palette-keys.ts";

/** The mark of Easel, as on the service's own pages. */
const Brand = () => (
  <svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    aria-hidden="true"
  >
    <rect x="4" y="4" width="16" height="11" rx="1.5" />
    <path d="M12 2v2M8 15l-3 7M16 15l3 7M12 15v4" />
  </svg>
);

/** The places of the dashboard: a column at the left, on a phone a bar at the bottom. */
export const Rail = ({ me }: { me: Me }) => (
  <nav className="rail" aria-label="Places">
    <Link to="/" className="brand">
      <Brand />
      <span>Easel</span>
    </Link>
    <ul>
      <li>
        <Link to="/new" className="place new">
          <CirclePlus aria-hidden />
          New
        </Link>
      </li>
      <li>
        <Link to="/" className="place" activeOptions={{ exact: true, includeSearch: false }}>
          <LayoutGrid aria-hidden />
          Canvases
        </Link>
      </li>
      <li>
        <Link to="/teams" className="place" activeOptions={{ includeSearch: false }}>
          <Users aria-hidden />
          Teams
        </Link>
      </li>
      <li>
        <button type="button" className="place" onClick={openPalette}>
          <Search aria-hidden />
          Search
          <kbd className="wide" aria-hidden>
            {PALETTE_KEYS.join(" ")}
          </kbd>
        </button>
      </li>
      <li className="wide">
        <a className="place" href="/docs" target="_blank" rel="noreferrer">
          <BookOpen aria-hidden />
          Documentation
        </a>
      </li>
    </ul>
    <span className="spring" />
    <ul>
      {me.isAdmin ? (
        <li>
          <Link to="/admin" className="place">
            <ShieldCheck aria-hidden />
            <span className="wide">Administration</span>
            <span className="narrow">Admin</span>
          </Link>
        </li>
      ) : null}
      <li>
        <Link to="/account" className="place">
          <CircleUser aria-hidden />
          <span className="wide">{me.name}</span>
          <span className="narrow">Account</span>
        </Link>
      </li>
    </ul>
  </nav>
);
