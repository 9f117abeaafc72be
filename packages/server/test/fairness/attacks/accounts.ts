import { type Attack, repeat } from "../attack.ts";

const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

/** Attacks by what the service keeps about people: tokens, invitations, codes, names. */
export const accounts: Attack[] = [
  {
    name: "tokens and invitations",
    run: (hostile) =>
      repeat(hostile, 4, (index) =>
        hostile.ask(
          index % 2 === 0
            ? {
                method: "POST",
                path: "/api/tokens",
                headers: JSON_TYPE,
                body: JSON.stringify({ name: `t${index}` }),
              }
            : {
                method: "POST",
                path: `/api/canvases/${hostile.site.own.id}/invites`,
                headers: JSON_TYPE,
                body: JSON.stringify({ email: `guest-${index}@example.org` }),
              },
        ),
      ),
  },
  {
    name: "codes of devices",
    run: (hostile) =>
      repeat(hostile, 4, () =>
        hostile.ask({
          method: "POST",
          path: "/oauth/device_authorization",
          headers: FORM_TYPE,
          body: "client_id=easel-cli&scope=full",
        }),
      ),
  },
  {
    name: "canvases that are made and deleted",
    run: (hostile) =>
      repeat(hostile, 4, async () => {
        const made = await hostile.json({
          method: "POST",
          path: "/api/canvases",
          headers: JSON_TYPE,
          body: '{"title":"Gone"}',
        });
        if (made !== null) await hostile.ask({ method: "DELETE", path: `/api/canvases/${made.id}` });
      }),
  },
];
