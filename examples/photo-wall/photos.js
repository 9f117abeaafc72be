/** The file groups: photos that everyone sees, and photos that only the person who uploaded them sees. Their policies are in easel.json. */
export const GROUPS = ["photos", "drafts"];

/** The types of pictures that the service lets browsers show. */
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
const EXTENSION = /\.(png|jpe?g|gif|webp|avif)$/i;

/** The number of file records per request. */
const PAGE = 500;

export const isPhoto = ({ mime }) => TYPES.includes(mime);
export const groupOf = ({ scope }) => scope.replace("group:", "");

/** Returns the title of a photo: its file name without the extension. It is also the alternative text. */
export const titleOf = ({ name }) => name.replace(EXTENSION, "") || name;

/** Builds a file name from a new title, with the extension of the old name. */
export const renamed = ({ name }, title) => title + (EXTENSION.exec(name)?.[0] ?? "");

/** Returns the viewer's rights on a file group, or undefined if the policy does not have the group. */
export const rightsOn = (group, me) => me.resources.fileGroups[group];

/** Whether the viewer may do an operation (`update`, `delete`) with a photo. */
export function may(operation, photo, me) {
  const right = rightsOn(groupOf(photo), me)?.[operation];
  return right !== undefined && (right.any || (right.own && photo.uploadedBy === me.id));
}

/** Reads the photos of all groups, by id. Throws `NO_GROUPS` if the policy has none of the groups. */
export async function readPhotos(me) {
  const photos = new Map();
  const groups = GROUPS.filter((group) => rightsOn(group, me)?.read.own);
  if (groups.length === 0) {
    // If the capability is off, there are no groups either, and this request throws a better error.
    await easel.files.list({ limit: 1 });
    throw Object.assign(new Error(), { code: "NO_GROUPS" });
  }
  for (const group of groups) {
    let cursor;
    do {
      const files = await easel.files.list({ group, limit: PAGE, cursor });
      for (const file of files) photos.set(file.id, file);
      cursor = files.nextCursor;
    } while (cursor);
  }
  return photos;
}

/** Returns the photos of a group, the latest first. */
export const photosOf = (group, photos) =>
  [...photos.values()]
    .filter((photo) => groupOf(photo) === group)
    .sort((one, other) => other.createdAt - one.createdAt || (other.id > one.id ? 1 : -1));

/** Whether a file is a picture that browsers can show. Loads it to find out, because the name and the type may be wrong. */
export async function isPicture(file, address) {
  if (!TYPES.includes(file.type)) return false;
  const image = new Image();
  image.src = address;
  return image.decode().then(
    () => true,
    () => false,
  );
}
