"use strict";
/* What all pages do. A page calls startPage({ isDone, show, clear, keys }):
   isDone(values): whether what the person says about an item is complete;
   show(item, values): show an item; values is what the person says about it, an object;
   keys: what further keys do.
   A server that keeps what people say adds a script, which calls page.keptBy({ words, changed, named }):
   words(): where it is kept, for the line of progress;
   changed(cleared): called after each change; cleared: it took something away;
   named(before): called when the name of the person has changed. */
const at = (id) => document.getElementById(id);

function make(tag, text, name) {
  const one = document.createElement(tag);
  if (text !== undefined) one.textContent = text;
  if (name) one.className = name;
  return one;
}

const data = JSON.parse(at("data").textContent);

const page = (function () {
  const place = "legalir-" + data.field + "-" + data.sheet;
  let state = { rater: "", values: {} };
  let current = 0;
  let stored = true;
  let own = null;
  let keeper = null;

  function take(given) {
    const values = given && given[data.field];
    if (typeof values !== "object" || values === null) return;
    for (const item of data.items) {
      const one = values[item.id];
      if (typeof one === "object" && one !== null) state.values[item.id] = one;
    }
    if (typeof given.rater === "string" && given.rater) state.rater = given.rater;
  }

  function content() {
    return Object.assign({ kind: data.kind, version: 1, sheet: data.sheet, title: data.title }, data.extra || {}, {
      rater: state.rater,
      [data.field]: state.values,
    });
  }

  function keep(cleared) {
    try {
      localStorage.setItem(place, JSON.stringify(content()));
    } catch (error) {
      stored = false;
    }
    if (keeper) keeper.changed(cleared);
    progress();
  }

  function valuesOf(item) {
    return state.values[item.id] || {};
  }

  function isDone(item) {
    return own.isDone(valuesOf(item), item);
  }

  function set(item, values) {
    if (values === null) delete state.values[item.id];
    else state.values[item.id] = Object.assign({}, valuesOf(item), values);
    keep(values === null);
  }

  function keptBy(one) {
    keeper = one;
    progress();
  }

  function replace(values) {
    state.values = values;
    keep();
    show(current);
  }

  function name(rater) {
    const before = state.rater;
    state.rater = rater.normalize("NFC").replace(/\s+/g, " ").trim();
    at("rater").value = state.rater;
    if (keeper && state.rater !== before) keeper.named(before);
    keep();
  }

  function progress(note) {
    const done = data.items.filter(isDone).length;
    const here = keeper ? keeper.words() : stored ? "kept in this browser; save them to hand them on." : "this browser keeps nothing: save often.";
    const text = done + " of " + data.items.length + " " + data.noun + "s are " + data.done + "; ";
    at("progress").textContent = (note ? note + " " : "") + text + here;
    at("bar").max = Math.max(1, data.items.length);
    at("bar").value = done;
  }

  function show(number, focus) {
    current = Math.min(Math.max(number, 0), data.items.length - 1);
    const item = data.items[current];
    at("place").textContent = data.noun[0].toUpperCase() + data.noun.slice(1) + " " + (current + 1) + " of " + data.items.length;
    own.show(item, valuesOf(item));
    at("back").disabled = current === 0;
    at("next").disabled = current === data.items.length - 1;
    if (focus) {
      at("place").focus();
      window.scrollTo(0, 0);
    }
    progress();
  }

  function nextOpen() {
    const open = data.items.map((item, number) => number).filter((number) => !isDone(data.items[number]));
    if (open.length) show(open.find((number) => number > current) ?? open[0], true);
    else show(current + 1, true);
  }

  function save() {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(content(), null, 1) + "\n"], { type: "application/json" }));
    link.download = data.field + "-" + (state.rater.replace(/[^\p{L}\p{N}]+/gu, "-") || "rater") + ".json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function load(file) {
    file.text().then((text) => {
      let given = null;
      try {
        given = JSON.parse(text);
      } catch (error) {
        given = null;
      }
      if (!given || given.kind !== data.kind || given.sheet !== data.sheet) {
        progress("That file has no " + data.field + " of this page.");
        return;
      }
      take(given);
      at("rater").value = state.rater;
      keep();
      show(current);
    });
  }

  function start(functions) {
    own = functions;
    try {
      take(JSON.parse(localStorage.getItem(place) || "null"));
    } catch (error) {
      stored = false;
    }
    at("rater").value = state.rater;
    at("rater").addEventListener("change", () => name(at("rater").value)); // When the field is left: half a name is nobody.
    at("save").addEventListener("click", save);
    at("load").addEventListener("change", () => at("load").files.length && load(at("load").files[0]));
    at("back").addEventListener("click", () => show(current - 1, true));
    at("next").addEventListener("click", () => show(current + 1, true));
    at("open").addEventListener("click", nextOpen);
    at("clear").addEventListener("click", () => {
      set(data.items[current], null);
      show(current);
    });
    at("form").addEventListener("submit", (event) => event.preventDefault());
    const keys = Object.assign({ n: () => show(current + 1, true), p: () => show(current - 1, true) }, own.keys || {});
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.target.matches("textarea, input:not([type=radio]):not([type=checkbox])")) {
        if (event.key === "Escape") event.target.blur();
      } else if (Object.hasOwn(keys, event.key)) {
        event.preventDefault();
        keys[event.key](data.items[current]);
      }
    });
    if (data.items.length) {
      at("main").hidden = false;
      const first = data.items.findIndex((item) => !isDone(item));
      show(first < 0 ? 0 : first);
    } else {
      at("progress").textContent = "There are no " + data.noun + "s.";
    }
  }

  return { start, set, show: () => show(current), nextOpen, valuesOf, keptBy, content, replace, name, progress };
})();

function startPage(functions) {
  page.start(functions);
}

function sourceBox(docno, cited) {
  const provision = data.provisions[docno];
  const box = make("article", undefined, "source" + (cited ? " cited" : ""));
  box.dataset.docno = docno;
  box.tabIndex = -1;
  box.append(make("h4", provision.title || docno), make("p", provision.text), make("p", "[" + docno + "]" + (cited ? " cited" : ""), "note"));
  return box;
}
