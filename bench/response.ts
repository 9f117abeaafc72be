/** Whether `bytes` is a complete HTTP/1.1 response, if nothing follows it on the connection. */
export function isWhole(bytes: Buffer): boolean {
  const head = bytes.indexOf("\r\n\r\n", 0, "latin1");
  if (head < 0) return false;
  const text = bytes.toString("latin1", 0, head);
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  if (length !== undefined) return bytes.length >= head + 4 + Number(length);
  return (
    !/\r\ntransfer-encoding: chunked/i.test(text) ||
    bytes.toString("latin1", bytes.length - 5) === "0\r\n\r\n"
  );
}

/** Whether the status of a response is 2xx. */
export const isSuccess = (response: Buffer): boolean => response[9] === 50;
