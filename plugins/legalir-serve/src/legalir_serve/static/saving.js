"use strict";
/* Saves what a person says on a sheet on the server that showed it. page.js, which is before it, has what was said.
   The state here, the state that the server had when it was last asked (base), and the state that it has now are
   merged item by item: what changed on one side counts. */
(function () {
  const address = document.currentScript.dataset.saved;
  const field = data.field;
  const place = "legalir-server-" + data.sheet;
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  let server = { rater: "", tag: null, base: {} };
  let words = "";
  let timer = null;
  let busy = false;
  let again = false;
  let cleared = false; // Something was taken away here: the server asks for a word on that.
  let owner = ""; // Whose ratings stand here while the field of the name is empty.

  function say(text) {
    words = text;
    page.progress();
  }

  function remember(tag, base) {
    server = { rater: page.content().rater, tag, base: JSON.parse(JSON.stringify(base)) };
    try {
      localStorage.setItem(place, JSON.stringify(server));
    } catch (error) {
      /* The browser keeps nothing; the server does. */
    }
  }

  function isSaved() {
    const here = page.content()[field];
    return server.tag !== null && data.items.every(({ id }) => same(here[id], server.base[id]));
  }

  /* Take over what the server has; return how many items were changed on both sides, of which those here stay. */
  function merge(there) {
    const here = page.content()[field];
    const merged = {};
    let both = 0;
    for (const { id } of data.items) {
      const changed = !same(here[id], server.base[id]);
      if (changed && !same(there[id], server.base[id]) && !same(there[id], here[id])) both += 1;
      const one = changed ? here[id] : there[id];
      if (one !== undefined) merged[id] = one;
    }
    page.replace(merged);
    return both;
  }

  function known(reply, there) {
    const both = merge(there);
    remember(reply.headers.get("etag"), there);
    return both ? both + " " + data.noun + "s were changed elsewhere, too: yours count; the server's history has the others. " : "";
  }

  async function load() {
    const rater = page.content().rater;
    const reply = await fetch(address + "&rater=" + encodeURIComponent(rater), { cache: "no-store" });
    const given = await reply.json();
    if (!reply.ok) throw new Error(given.error);
    if (page.content().rater !== rater) return "";
    const there = given[field];
    const number = Object.keys(there).length;
    const question = number + " " + data.noun + "s are " + data.done + " as " + rater + " on this server already. Continue them?";
    if (server.rater !== rater && number && !window.confirm(question)) {
      page.name("");
      return "";
    }
    return known(reply, there);
  }

  async function save() {
    const content = page.content();
    const reply = await fetch(address + (cleared ? "&less=true" : ""), {
      method: "PUT",
      headers: { "content-type": "application/json", "if-match": server.tag },
      body: JSON.stringify(content),
    });
    const given = await reply.json();
    if (reply.status === 412) {
      again = true;
      return known(reply, given.there[field]);
    }
    if (!reply.ok) throw new Error(given.error);
    cleared = false;
    remember(reply.headers.get("etag"), content[field]);
    return "";
  }

  async function work() {
    if (busy || !page.content().rater) {
      again = busy;
      return;
    }
    busy = true;
    again = false;
    let note = "";
    try {
      if (server.tag === null) note += await load();
      if (page.content().rater && !isSaved()) note += await save();
      say(note + (isSaved() ? "saved on the server." : "saving…"));
    } catch (error) {
      const lost = error instanceof TypeError || error instanceof SyntaxError;
      say("not saved: " + (lost ? "the server does not answer; it is asked again." : error.message));
      if (lost) timer = setTimeout(work, 5000);
    }
    busy = false;
    if (again) soon();
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(work, 400);
  }

  try {
    const kept = JSON.parse(localStorage.getItem(place) || "null");
    if (kept && kept.rater === page.content().rater) server = { rater: kept.rater, tag: null, base: kept.base };
  } catch (error) {
    /* As if nothing was kept. */
  }
  page.keptBy({
    words: () => (page.content().rater ? words || "saving…" : "write your name, so that they are saved on the server."),
    changed(less) {
      cleared = cleared || less === true;
      if (!isSaved()) words = "";
      soon();
    },
    named(before) {
      const { rater, [field]: mine } = page.content();
      owner = before || owner;
      server = { rater: "", tag: null, base: {} };
      cleared = false;
      if (!rater) return;
      const question = "Do the ratings on this page belong to " + rater + ", too? Those of " + owner + " stay saved.";
      if (owner && owner !== rater && Object.keys(mine).length && !window.confirm(question)) page.replace({});
    },
  });
  window.addEventListener("beforeunload", (event) => {
    if (page.content().rater && !isSaved()) event.preventDefault();
  });
  soon();
})();
