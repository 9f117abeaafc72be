import "./screen.css";
import { type ReactNode, useEffect } from "react";

/** A screen: its title, which is also that of the document, acts at the right of it, and its content. */
export function Screen({ title, acts, children }: { title: string; acts?: ReactNode; children: ReactNode }) {
  useDocumentTitle(title);
  return (
    <>
      <header className="screen-head">
        <h1>
          <bdi>{title}</bdi>
        </h1>
        {acts === undefined ? null : <div className="screen-acts">{acts}</div>}
      </header>
      {children}
    </>
  );
}

/** Sets the title of the document, such as "Sharing · Poll · Easel". */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Easel`;
  }, [title]);
}
