(function () {
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

  function field(item, values, measure) {
    const box = make("fieldset");
    box.append(make("legend", measure.question));
    for (const choice of measure.values) {
      const label = make("label");
      const input = make("input");
      input.type = "radio";
      input.name = measure.name;
      input.value = String(choice.value);
      input.checked = values[measure.name] === choice.value;
      input.addEventListener("change", () => page.set(item, { [measure.name]: choice.value }));
      label.append(input, make("span", choice.value + " – " + choice.label));
      box.append(label);
    }
    return box;
  }

  function citation(item, docno) {
    if (item.unknown.includes(docno)) {
      const lost = make("span", "[" + docno + "]", "unknown");
      lost.title = "There is no such provision.";
      return lost;
    }
    const button = make("button", "[" + docno + "]", "cite");
    button.type = "button";
    button.addEventListener("click", () => showSource(docno));
    return button;
  }

  function show(item, values) {
    at("question").textContent = item.question;
    at("rated").textContent = data.noun[0].toUpperCase() + data.noun.slice(1) + " to rate";
    at("reference").parentElement.hidden = at("sources").parentElement.hidden = data.noun !== "answer";
    at("reference").textContent = item.reference || "(The question has no reference answer.)";
    at("answer").replaceChildren(
      ...item.parts.map((part) => (part.cite === undefined ? part.text : citation(item, part.cite)))
    );
    const label = make("label", "Remark ");
    const remark = make("textarea");
    remark.value = values.comment || "";
    remark.addEventListener("input", () => page.set(item, { comment: remark.value }));
    label.append(remark);
    at("form").replaceChildren(...data.measures.map((measure) => field(item, values, measure)), label);
    const none = make("p", "The answer has no sources.", "note");
    const boxes = item.sources.map((docno) => sourceBox(docno, item.cited.includes(docno)));
    at("sources").replaceChildren(...(boxes.length ? boxes : [none]));
  }

  startPage({
    isDone: (values) => data.measures.every((measure) => typeof values[measure.name] === "number"),
    show,
  });
})();
