/** The file groups: photos that everyone sees, and those that only their owner sees. Their policies are in easel.json. */
export const GROUPS = ["photos", "drafts"];

/** The types of pictures that the service lets browsers show. */
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
const EXTENSION = /\.(png|jpe?g|gif|webp|avif)$/i;

/** The number of file records per request. */
const PAGE = 500;

export const isPhoto = ({ mime }) => TYPES.includes(mime);
export const groupOf = ({ scope }) => scope.replace("group:", "");

/** The name of a photo on the page, without its extension. It is also the alternative text. */
export const titleOf = ({ name }) => name.replace(EXTENSION, "") || name;

/** Builds a file name from a new title, with the extension of the old name. */
export const renamed = ({ name }, title) => title + (EXTENSION.exec(name)?.[0] ?? "");

/** The viewer's rights on a group; undefined where the policy does not name it. */
export const rightsOn = (group, me) => me.resources.fileGroups[group];

/** Whether the viewer may do an operation (`update`, `delete`) with a photo. */
export function may(operation, photo, me) {
  const right = rightsOn(groupOf(photo), me)?.[operation];
  return right !== undefined && (right.any || (right.own && photo.uploadedBy === me.id));
}

/** Reads the photos of all groups, by id. Throws `NO_GROUPS` where the policy has none of them. */
export async function readPhotos(me) {
  const photos = new Map();
  const groups = GROUPS.filter((group) => rightsOn(group, me)?.read.own);
  if (groups.length === 0) {
    // Throws if the reason is another one: a capability that is off.
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

/** Whether a file is a picture of a type that browsers show here. Its name and type alone prove nothing. */
export async function isPicture(file, address) {
  if (!TYPES.includes(file.type)) return false;
  const image = new Image();
  image.src = address;
  return image.decode().then(
    () => true,
    () => false,
  );
}
