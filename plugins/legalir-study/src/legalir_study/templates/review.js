(function () {
  const fields = { query: "Question", answer: "Answer", explanation: "Explanation", nuggets: "Facts, one a line; * before a vital one" };
  const names = { accept: "accepted", edit: "edited", drop: "dropped" };

  /* The item as the person wants it: the item of the split with the person's changes. */
  function edited(item, values) {
    return Object.assign({}, item, values.item || {});
  }

  function change(item, name, value) {
    const values = page.valuesOf(item);
    page.set(item, { decision: "edit", item: Object.assign({}, values.item || {}, { [name]: value }) });
    decision(item);
  }

  function decision(item) {
    const values = page.valuesOf(item);
    for (const name of Object.keys(names)) at(name).setAttribute("aria-pressed", String(values.decision === name));
    at("decision").textContent = names[values.decision] || "no decision";
  }

  function decide(item, name) {
    const values = page.valuesOf(item);
    const changed = values.item && Object.keys(values.item).length;
    page.set(item, { decision: name === "accept" && changed ? "edit" : name });
    page.nextOpen();
  }

  function area(text, onInput, label) {
    const box = make("textarea");
    box.value = text;
    box.setAttribute("aria-label", label);
    box.addEventListener("input", () => onInput(box.value));
    return box;
  }

  function options(item, shown) {
    const box = make("fieldset");
    const legend = make("legend", "Options: the right one is marked");
    legend.lang = "en";
    box.append(legend);
    shown.options.forEach((text, place) => {
      const number = place + 1;
      const row = make("div", undefined, "option" + (number === shown.key ? " key" : ""));
      const input = make("input");
      input.type = "radio";
      input.name = "key";
      input.checked = number === shown.key;
      input.disabled = number === item.abstain;
      input.setAttribute("aria-label", "Option " + number + " is right");
      input.addEventListener("change", () => {
        change(item, "key", number);
        page.show();
      });
      row.append(input);
      if (number === item.abstain || !item.free) {
        row.append(make("p", text));
      } else {
        row.append(
          area(text, (value) => {
            const now = edited(item, page.valuesOf(item)).options.slice();
            now[place] = value;
            change(item, "options", now);
          }, "Option " + number)
        );
      }
      box.append(row);
    });
    return box;
  }

  function sources(item, shown) {
    const place = at("sources");
    place.replaceChildren();
    const groups = [{ words: "", docnos: item.documents }].concat(item.open || []);
    const seen = new Set();
    for (const group of groups) {
      const docnos = (group.docnos || group.candidates || []).filter((docno) => !seen.has(docno) && data.provisions[docno]);
      docnos.forEach((docno) => seen.add(docno));
      if (group.words) place.append(make("h3", "“" + group.words + "” – " + group.state));
      if (!docnos.length && group.words) place.append(make("p", "No candidates.", "note"));
      for (const docno of docnos) {
        const box = sourceBox(docno, false);
        const label = make("label");
        const input = make("input");
        input.type = "checkbox";
        input.checked = shown.documents.includes(docno);
        input.addEventListener("change", () => {
          const now = edited(item, page.valuesOf(item)).documents.filter((one) => one !== docno);
          change(item, "documents", input.checked ? now.concat([docno]) : now);
        });
        const right = make("span", "is right for this question");
        right.lang = "en";
        label.append(input, right);
        box.append(label);
        place.append(box);
      }
    }
    if (!seen.size) place.append(make("p", "The item has no provisions.", "note"));
  }

  function show(item, values) {
    const shown = edited(item, values);
    const form = at("form");
    form.replaceChildren();
    for (const [name, title] of Object.entries(fields)) {
      if (name === "answer" && item.options.length) form.append(options(item, shown));
      if (shown[name] === undefined) continue;
      const label = make("label", title, "field");
      label.lang = "en";
      const box = area(shown[name], (value) => change(item, name, value), title);
      box.id = name;
      form.append(label, box);
    }
    const label = make("label", "Remark", "field");
    label.lang = "en";
    form.append(label, area(values.note || "", (value) => page.set(item, { note: value }), "Remark"));
    sources(item, shown);
    decision(item);
  }

  for (const name of ["accept", "drop"]) {
    at(name).addEventListener("click", () => decide(shownItem(), name));
  }
  at("edit").addEventListener("click", () => at("query").focus());

  let last = null;
  function shownItem() {
    return last;
  }

  startPage({
    isDone: (values) => Object.hasOwn(names, values.decision),
    show: (item, values) => {
      last = item;
      show(item, values);
    },
    keys: {
      a: (item) => decide(item, "accept"),
      d: (item) => decide(item, "drop"),
      e: () => at("query").focus(),
    },
  });
})();
