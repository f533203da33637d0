"use strict";
// The kept list: provisions with notes in this browser alone. Needs page.js before it.
const PLACE = "legalir.kept";
const kept = () => { try { return JSON.parse(localStorage.getItem(PLACE)) || []; } catch { return []; } };
const save = (rows) => {
  try { localStorage.setItem(PLACE, JSON.stringify(rows)); return true; } catch { announced.textContent = words.full; alert(words.full); return false; }
};
const same = (a, b) => a.docno === b.docno && a.collection === b.collection;
const buttons = [...document.querySelectorAll("button.keep")];
const drawn = () => {
  const rows = kept();
  for (const button of buttons) {
    const is = rows.some((row) => same(row, button.dataset));
    button.textContent = is ? "★ " + words.keeping : "☆ " + words.keep;
    button.setAttribute("aria-pressed", is);
    button.hidden = false;
  }
};
for (const button of buttons) {
  button.setAttribute("aria-label", words.keep + ": " + button.dataset.title);
  button.addEventListener("click", () => {
    const { docno, collection, title, address, citation } = button.dataset, rows = kept();
    const others = rows.filter((row) => !same(row, { docno, collection }));
    const added = others.length === rows.length;
    const row = { docno, collection, title, address, citation, kept: new Date().toISOString().slice(0, 10), note: "" };
    if (save(added ? [...rows, row] : others)) announced.textContent = added ? words.keeping : words.remove;
    drawn();
  });
}
drawn();
addEventListener("storage", drawn); // Another tab may have changed the list.

const page = document.getElementById("kept");
if (page) {
  const list = page.querySelector("ol"), empty = document.getElementById("kept-empty");
  const show = () => {
    const rows = kept();
    page.hidden = !rows.length;
    empty.hidden = rows.length > 0;
    list.replaceChildren(...rows.map((row, place) => {
      const item = document.createElement("li"), head = document.createElement("h2"), link = document.createElement("a");
      const cited = document.createElement("p"), label = document.createElement("label"), note = document.createElement("textarea"), remove = document.createElement("button");
      item.className = "kept";
      link.textContent = row.title;
      const address = new URL(row.address, location.href); // What is stored may not be what was kept.
      link.href = "provision" + address.search;
      head.append(link);
      Object.assign(cited, { className: "note", textContent: row.citation });
      label.textContent = words.note;
      Object.assign(note, { value: row.note, rows: 2, id: "note-" + place });
      label.htmlFor = note.id;
      note.addEventListener("input", () => save(kept().map((each) => (same(each, row) ? { ...each, note: note.value } : each))));
      Object.assign(remove, { type: "button", className: "quiet", textContent: words.remove });
      remove.setAttribute("aria-label", words.remove + ": " + row.title);
      remove.addEventListener("click", () => { save(kept().filter((each) => !same(each, row))); announced.textContent = words.remove + ": " + row.title; show(); });
      item.append(head, cited, label, note, remove);
      return item;
    }));
  };
  show();
  addEventListener("storage", show);
  const FIELDS = ["title", "docno", "collection", "citation", "address", "kept", "note"];
  const cell = (value) => {
    let text = String(value == null ? "" : value);
    if (text.length > 32000) text = text.slice(0, 32000) + " … (32000 / " + text.length + ")";
    if (/^[=+\-@\t\r\n＝＋－＠]/.test(text)) text = "'" + text; // A spreadsheet may take it for a formula.
    return '"' + text.replaceAll('"', '""') + '"';
  };
  const files = {
    json: (rows) => JSON.stringify(rows, FIELDS, 1),
    csv: (rows) => "\ufeff" + [FIELDS, ...rows.map((row) => FIELDS.map((name) => row[name]))].map((row) => row.map(cell).join(",")).join("\r\n"),
  };
  for (const button of page.querySelectorAll("[data-save]")) {
    button.addEventListener("click", () => {
      const kind = button.dataset.save, link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([files[kind](kept())], { type: kind === "csv" ? "text/csv" : "application/json" }));
      link.download = "legalir-" + new Date().toISOString().slice(0, 10) + "." + kind;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  }
}
