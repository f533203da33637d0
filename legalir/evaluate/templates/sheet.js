
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const place = "legalir-sheet-" + data.sheet;
  const at = (id) => document.getElementById(id);
  let state = { rater: "", ratings: {} };
  let current = 0;
  let stored = true;

  function make(tag, text, name) {
    const one = document.createElement(tag);
    if (text !== undefined) one.textContent = text;
    if (name) one.className = name;
    return one;
  }

  function take(given) {
    if (!given || typeof given.ratings !== "object" || given.ratings === null) return;
    for (const item of data.items) {
      const own = given.ratings[item.id];
      if (typeof own === "object" && own !== null) state.ratings[item.id] = own;
    }
    if (typeof given.rater === "string" && given.rater) state.rater = given.rater;
  }

  function keep() {
    try {
      localStorage.setItem(place, JSON.stringify(state));
    } catch (error) {
      stored = false;
    }
    progress();
  }

  function ratingsOf(item) {
    return state.ratings[item.id] || {};
  }

  function isRated(item) {
    const own = ratingsOf(item);
    return data.measures.every((measure) => typeof own[measure.name] === "number");
  }

  function progress(note) {
    const rated = data.items.filter(isRated).length;
    const kept = stored ? "kept in this browser; save them to hand them on." : "this browser keeps nothing: save often.";
    at("progress").textContent = (note ? note + " " : "") + rated + " of " + data.items.length + " answers are rated; " + kept;
    at("bar").max = Math.max(1, data.items.length);
    at("bar").value = rated;
  }

  function showSource(docno) {
    for (const one of at("sources").children) {
      const shown = one.dataset.docno === docno;
      one.classList.toggle("shown", shown);
      if (shown) {
        one.scrollIntoView({ block: "nearest" });
        one.focus();
      }
    }
  }

  function field(item, measure) {
    const box = make("fieldset");
    box.append(make("legend", measure.question));
    for (const choice of measure.values) {
      const label = make("label");
      const input = make("input");
      input.type = "radio";
      input.name = measure.name;
      input.value = String(choice.value);
      input.checked = ratingsOf(item)[measure.name] === choice.value;
      input.addEventListener("change", () => {
        state.ratings[item.id] = Object.assign({}, ratingsOf(item), { [measure.name]: choice.value });
        keep();
      });
      label.append(input, make("span", choice.value + " – " + choice.label));
      box.append(label);
    }
    return box;
  }

  function show(number, focus) {
    current = Math.min(Math.max(number, 0), data.items.length - 1);
    const item = data.items[current];
    at("place").textContent = "Answer " + (current + 1) + " of " + data.items.length;
    at("question").textContent = item.question;
    at("reference").textContent = item.reference || "(The question has no reference answer.)";
    const answer = at("answer");
    answer.replaceChildren();
    for (const part of item.parts) {
      if (part.cite === undefined) {
        answer.append(part.text);
      } else if (item.unknown.includes(part.cite)) {
        const lost = make("span", "[" + part.cite + "]", "unknown");
        lost.title = "There is no such provision.";
        answer.append(lost);
      } else {
        const button = make("button", "[" + part.cite + "]", "cite");
        button.type = "button";
        button.addEventListener("click", () => showSource(part.cite));
        answer.append(button);
      }
    }
    const form = at("form");
    form.replaceChildren();
    for (const measure of data.measures) form.append(field(item, measure));
    const label = make("label", "Remark ");
    const remark = make("textarea");
    remark.value = ratingsOf(item).comment || "";
    remark.addEventListener("input", () => {
      state.ratings[item.id] = Object.assign({}, ratingsOf(item), { comment: remark.value });
      keep();
    });
    label.append(remark);
    form.append(label);
    const sources = at("sources");
    sources.replaceChildren();
    if (!item.sources.length) sources.append(make("p", "The answer has no sources.", "note"));
    for (const docno of item.sources) {
      const provision = data.provisions[docno];
      const box = make("article", undefined, "source" + (item.cited.includes(docno) ? " cited" : ""));
      box.dataset.docno = docno;
      box.tabIndex = -1;
      box.append(make("h4", provision.title || docno), make("p", provision.text));
      box.append(make("p", "[" + docno + "]" + (item.cited.includes(docno) ? " cited" : ""), "note"));
      sources.append(box);
    }
    at("back").disabled = current === 0;
    at("next").disabled = current === data.items.length - 1;
    if (focus) {
      at("place").focus();
      window.scrollTo(0, 0);
    }
    progress();
  }

  function save() {
    const text = JSON.stringify({ kind: "legalir ratings", version: 1, sheet: data.sheet, title: data.title, rater: state.rater, ratings: state.ratings }, null, 1);
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([text + "\n"], { type: "application/json" }));
    link.download = "ratings-" + (state.rater.replace(/[^\p{L}\p{N}]+/gu, "-") || "rater") + ".json";
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
      if (!given || given.kind !== "legalir ratings" || given.sheet !== data.sheet) {
        progress("That file has no ratings of this page.");
        return;
      }
      take(given);
      at("rater").value = state.rater;
      keep();
      show(current);
    });
  }

  try {
    take(JSON.parse(localStorage.getItem(place) || "null"));
  } catch (error) {
    stored = false;
  }
  at("rater").value = state.rater;
  at("rater").addEventListener("input", () => {
    state.rater = at("rater").value.trim();
    keep();
  });
  at("save").addEventListener("click", save);
  at("load").addEventListener("change", () => at("load").files.length && load(at("load").files[0]));
  at("back").addEventListener("click", () => show(current - 1, true));
  at("next").addEventListener("click", () => show(current + 1, true));
  at("open").addEventListener("click", () => {
    const open = data.items.map((item, number) => number).filter((number) => !isRated(data.items[number]));
    if (open.length) show(open.find((number) => number > current) ?? open[0], true);
  });
  at("clear").addEventListener("click", () => {
    delete state.ratings[data.items[current].id];
    keep();
    show(current);
  });
  at("form").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("textarea, input:not([type=radio])");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n") show(current + 1, true);
    if (event.key === "p") show(current - 1, true);
  });
  if (data.items.length) {
    at("main").hidden = false;
    const first = data.items.findIndex((item) => !isRated(item));
    show(first < 0 ? 0 : first);
  } else {
    at("progress").textContent = "There are no answers to rate.";
  }
})();
