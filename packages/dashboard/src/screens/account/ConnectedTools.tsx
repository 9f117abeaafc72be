import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { queries, toolsQuery } from "../../api/queries.ts";
import { Copy } from "../../kit/Copy.tsx";
import { Reading } from "../../kit/Loading.tsx";
import { ToolList } from "../../tools/ToolList.tsx";

/** The tools that act for the caller, the end of each, and how another one is connected. */
export function ConnectedTools() {
  const query = useQuery(toolsQuery);
  const { data } = query;
  return (
    <section className="card stack" id="tools" aria-labelledby="tools-title">
      <h2 id="tools-title">Connected tools</h2>
      <Reading query={query} what="your connected tools" rows={2} />
      {data === undefined ? null : (
        <>
          {data.apps.length === 0 ? (
            <p className="soft">
              No tool acts for you. AI tools such as Claude Code or Cursor can make and change canvases for
              you, with as many rights as you give them.
            </p>
          ) : (
            <ToolList
              tools={data.apps}
              onEnd={async ({ id }) => {
                await api.DELETE("/api/apps/{id}", { params: { path: { id } } });
                await queries.invalidateQueries(toolsQuery);
              }}
            />
          )}
          <Connect url={data.url} />
        </>
      )}
    </section>
  );
}

const Connect = ({ url }: { url: string | null }) =>
  url === null ? (
    <p className="small soft">
      Tools cannot connect to this service, because its sign-in proxy signs every request.
    </p>
  ) : (
    <div className="stack-small">
      <p className="small soft">
        To connect one, give it this address. It then asks you what it may do.{" "}
        <a href="/docs/agents" target="_blank" rel="noopener">
          Connect an AI tool
        </a>
      </p>
      <p className="tool-address">
        <code>{url}</code>
        <Copy text={url} what="address for tools" />
      </p>
    </div>
  );
