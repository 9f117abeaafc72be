import { crc32 } from "node:zlib";
import { malformed } from "./malformed.ts";
import { wholeNumber } from "./whole-number.ts";

/** The identifier of the extra field with 64-bit sizes and offsets (APPNOTE 4.5). */
const ZIP64 = 0x0001;
/** The identifier of the PKWARE extra field with Unix times, owner, and the target of a link or the numbers of a device. */
const UNIX = 0x000d;
/** The identifier of the Info-ZIP extra field with the UTF-8 path. */
const UNICODE_PATH = 0x7075;
/** The identifier of the Info-ZIP extra field with the Unix mode and the target of a link. */
const ASI_UNIX = 0x756e;

/** The length in bytes of the field `UNIX` of a regular file. The field of a link or device is longer. */
const UNIX_BYTES = 12;
const FILE_TYPE = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;

/** Whether a Unix mode is that of a regular file or folder, or contains no file type. */
export const isFileMode = (mode: number): boolean => [0, REGULAR_FILE, FOLDER].includes(mode & FILE_TYPE);

/** The extra fields of a zip header that change how its entry is read. Other extra fields are ignored. */
export class ExtraFields {
  readonly #fields = new Map<number, Buffer>();

  /** Copies the extra fields from the bytes of a header. Throws 400 `INVALID_BODY` if a field is cut off or occurs twice. */
  constructor(bytes: Buffer) {
    for (let at = 0; at + 4 <= bytes.length; ) {
      const id = bytes.readUInt16LE(at);
      const end = at + 4 + bytes.readUInt16LE(at + 2);
      if (end > bytes.length) malformed("an extra field is cut off");
      if ([ZIP64, UNIX, UNICODE_PATH, ASI_UNIX].includes(id)) {
        if (this.#fields.has(id)) malformed("an extra field occurs twice");
        this.#fields.set(id, Buffer.from(bytes.subarray(at + 4, end)));
      }
      at = end;
    }
  }

  /** Returns the 64-bit numbers in the zip64 field, or undefined if there is no such field. */
  get zip64(): number[] | undefined {
    const field = this.#fields.get(ZIP64);
    if (field === undefined) return undefined;
    if (field.length % 8 !== 0) malformed("a zip64 field has a wrong length");
    return Array.from({ length: field.length / 8 }, (_, index) => wholeNumber(field, 8 * index));
  }

  /**
   * Returns the UTF-8 path in the Unicode path field, which replaces a name in another encoding. Returns undefined if there is no such
   * field, or if its checksum is not that of `name`.
   */
  unicodePath(name: Buffer): Buffer | undefined {
    const field = this.#fields.get(UNICODE_PATH);
    if (field === undefined || field.length < 5 || field[0] !== 1) return undefined;
    return field.readUInt32LE(1) === crc32(name) ? field.subarray(5) : undefined;
  }

  /** Whether the fields say that the entry is a symbolic link, a hard link or a device. */
  get isSpecial(): boolean {
    const asi = this.#fields.get(ASI_UNIX);
    if (asi !== undefined && asi.length >= 6 && !isFileMode(asi.readUInt16LE(4))) return true;
    return (this.#fields.get(UNIX)?.length ?? 0) > UNIX_BYTES;
  }
}
