import { type Attack, type Hostile, repeat } from "../attack.ts";

const MANY_WRONG = `{"files":[${"0,".repeat(1_000_000)}0]}`;
const JSON_TYPE = { "content-type": "application/json" };
const BOUNDARY = "boundary";
const SPACES = Buffer.from(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nX: ${" ".repeat(64 * 1024)}x\r\n\r\nbytes\r\n--${BOUNDARY}--\r\n`,
);
const FORM = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` };
const SLOW_UPLOADS = 1_500;

const upload = ({ site }: Hostile, length: number) =>
  [
    `POST /v1/c/${site.shared.slug}/files HTTP/1.1`,
    `Host: ${new URL(site.base).host}`,
    `Cookie: ${site.hostile}`,
    `Content-Type: ${FORM["content-type"]}`,
    `Content-Length: ${length}`,
    "",
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="scope"\r\n\r\nsubmission\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx`,
  ].join("\r\n");

/** Attacks by the bodies of requests. */
export const bodies: Attack[] = [
  {
    name: "a million wrong elements",
    run: (hostile) =>
      repeat(hostile, 4, () =>
        hostile.ask({
          method: "POST",
          path: `/api/canvases/${hostile.site.own.id}/deploys`,
          headers: JSON_TYPE,
          body: MANY_WRONG,
        }),
      ),
  },
  {
    name: "part headers of spaces",
    run: (hostile) =>
      repeat(hostile, 4, () =>
        hostile.ask({
          method: "POST",
          path: `/v1/c/${hostile.site.shared.slug}/files`,
          headers: FORM,
          body: SPACES,
        }),
      ),
  },
  {
    name: "unfinished uploads",
    run: (hostile) => repeat(hostile, SLOW_UPLOADS, () => hostile.stall(upload(hostile, 20_000_000))),
  },
];
