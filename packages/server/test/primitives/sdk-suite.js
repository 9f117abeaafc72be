// Tests of the SDK that run in a page of a canvas. Each returns its results as JSON; browser-sdk.test.ts has the expected ones.

/** Resolves with the error of a promise that must fail. */
const failure = (promise) =>
  promise.then(
    () => "no error",
    ({ name, code, status }) => `${name} ${code} ${status}`,
  );

export const suite = {
  async me({ me }) {
    const { canvasRole, permissions } = await me();
    return [canvasRole, permissions.canWriteSharedData];
  },

  async "kv: set, get, list, increment, delete"({ kv }) {
    const key = "a/b c?&#%ü🍵";
    await kv.set(key, { list: [1, null, "ü"] });
    const stored = await kv.get(key);
    await kv.user.set(key, "mine");
    const sums = [await kv.increment("n"), await kv.increment("n", 2.5)];
    const { entries, nextCursor } = await kv.list({ limit: 1 });
    await kv.delete(key);
    return [stored, await kv.get(key), await kv.user.get(key), sums, entries, nextCursor !== null];
  },

  "kv: watch": ({ kv }) =>
    new Promise((resolve) => {
      const changes = [];
      const stop = kv.watch("w:", (change) => {
        changes.push(change);
        if (change.op === "resync") kv.set("w:1", 1).then(() => kv.delete("w:1"));
        if (change.op !== "delete") return;
        stop();
        resolve(changes);
      });
    }),

  async "collection: create, update, list, rights"({ kv }) {
    const ideas = kv.collection("ideas");
    const first = await ideas.create({ title: "Tea", votes: 1 });
    await ideas.create({ title: "Coffee", votes: 3 });
    const updated = await ideas.update(first.id, { title: "Tea", votes: 5 });
    const { entries } = await ideas.list({ where: { "value.votes": { gte: 2 } }, orderBy: "-value.votes" });
    const read = await ideas.get(first.id);
    await ideas.delete(first.id);
    return [
      first.authorId === updated.authorId && read.id === first.id,
      entries.map(({ value }) => value.title),
      await ideas.get(first.id),
      (await ideas.permissions()).delete,
      await failure(ideas.count()),
      await ideas.clear(),
      await failure(kv.collection("none").list()),
    ];
  },

  async "collection: increment"({ kv }) {
    const ideas = kv.collection("ideas");
    const { id } = await ideas.create(40);
    const sum = await ideas.increment(id, 2);
    const text = await ideas.create("a");
    const result = [sum, await failure(ideas.increment(text.id))];
    await ideas.clear();
    return result;
  },

  async people({ kv, people, me }) {
    const ideas = kv.collection("ideas");
    const { authorId } = await ideas.create("Tea");
    const [first, second] = await Promise.all([people([authorId]), people([authorId, "nobody"])]);
    await ideas.clear();
    return [first.get(authorId).name === (await me()).name, second.size];
  },

  async submissions({ submissions }) {
    await submissions.set("lunch", null);
    const mine = await submissions.get("lunch");
    const { entries } = await submissions.list("lunch");
    await submissions.remove("lunch", mine.userId);
    await submissions.set("lunch", "soup");
    await submissions.clear("lunch");
    return [mine.value, entries.length, await submissions.get("lunch")];
  },

  async files({ files }) {
    const progress = [];
    const content = new Blob(["tea".repeat(100_000)], { type: "text/plain" });
    const { id, url, size } = await files.upload(content, {
      name: "téa.txt",
      group: "photos",
      onProgress: ({ loaded, total }) => progress.push(loaded === total),
    });
    const text = await (await fetch(url, { credentials: "include" })).text();
    const { name } = await files.rename(id, "cup.txt");
    const listed = await files.list({ group: "photos" });
    await files.delete(id);
    return [
      size,
      text.length,
      files.url(id) === url,
      progress.at(-1),
      name,
      listed.length,
      (await files.list()).length,
    ];
  },

  async "files: an upload is aborted"({ files }) {
    const controller = new AbortController();
    const upload = files.upload(new Uint8Array(20_000_000), {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    return upload.catch(({ name }) => name);
  },

  async "realtime: messages and presence"({ realtime }) {
    const pens = realtime.channel("pens");
    const message = new Promise((resolve) => pens.subscribe(resolve));
    await pens.subscribe(() => {});
    pens.publish("move", { x: 1 });
    const { event, data, from } = await message;
    const users = await pens.presence();
    pens.close();
    return [event, data, from.canvasRole, users.length];
  },

  async "realtime: errors"({ realtime }) {
    const pens = realtime.channel("pens");
    pens.close();
    let closed;
    try {
      pens.publish("move");
    } catch (error) {
      closed = error.code;
    }
    let large;
    try {
      realtime.channel("inks").publish("move", "x".repeat(20_000));
    } catch (error) {
      large = error.code;
    }
    return [closed, large];
  },

  async errors({ kv, connections, ai, canvases, isQuotaExceeded, isEaselError }) {
    const large = await kv.set("large", "x".repeat(70_000)).catch((error) => error);
    return [
      isQuotaExceeded(large) && isEaselError(large, "VALUE_TOO_LARGE"),
      large.status,
      await failure(kv.get("")),
      await failure(connections.fetch("none", "/")),
      await failure(ai.chat([], { model: "m" })),
      await failure(canvases.update("none", { title: "Tea" })),
    ];
  },
};
