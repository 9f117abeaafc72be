import { randomUUID } from "node:crypto";
import { generate } from "selfsigned";

/** A private key and its certificate, in PEM. */
export interface Certified {
  key: string;
  cert: string;
}

/** The options of a certificate. By default it is valid for a day. */
export interface CertificateOptions {
  notAfter?: Date;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A certificate authority that exists in memory only. */
export interface Authority {
  /** The certificate of the authority, in PEM, which clients must trust. */
  ca: string;
  /** Issues a certificate for host names. */
  issue(names: string[], options?: CertificateOptions): Promise<Certified>;
}

/**
 * Creates a certificate authority for the upstreams of tests. Its default name is unique: a process may trust several authorities, and
 * OpenSSL finds the one that issued a certificate by its name.
 */
export async function createAuthority(name = `Upstreams of tests ${randomUUID()}`): Promise<Authority> {
  const root = await generate([{ name: "commonName", value: name }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return {
    ca: root.cert,
    async issue(names, { notAfter = new Date(Date.now() + DAY_MS) } = {}) {
      const issued = await generate([{ name: "commonName", value: names[0] ?? "" }], {
        keyType: "ec",
        algorithm: "sha256",
        ca: { key: root.private, cert: root.cert },
        notBeforeDate: new Date(notAfter.getTime() - 2 * DAY_MS),
        notAfterDate: notAfter,
        extensions: [{ name: "subjectAltName", altNames: names.map((value) => ({ type: 2, value })) }],
      });
      return { key: issued.private, cert: issued.cert };
    },
  };
}
