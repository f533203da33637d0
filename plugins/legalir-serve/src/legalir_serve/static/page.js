"use strict";
// Everything works without this file: it adds buttons that copy and print, suggestions, previews, and steps of an answer.
const words = document.body.dataset;
const announced = document.createElement("div");
announced.setAttribute("aria-live", "polite");
announced.className = "hidden";
document.body.append(announced);

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true, () => false);
  const area = document.createElement("textarea"); // Over http there is no clipboard but this one.
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener("click", async () => {
    const { copy: cited, link } = button.dataset;
    const law = cited && document.querySelector("article .text");
    const done = await copy(cited ? (law ? law.innerText.trim() + "\n\n" : "") + cited : link || location.href);
    button.focus();
    announced.textContent = done ? words.copied : words.notCopied;
    button.textContent = (done ? "✓ " : "✗ ") + announced.textContent;
    setTimeout(() => { button.textContent = label; announced.textContent = ""; }, 2500);
  });
}
for (const button of document.querySelectorAll("button.print")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// Laws and headings that begin with what is typed, as a list that keys and fingers can choose from.
const box = document.getElementById("q");
if (box && box.dataset.suggest) {
  const list = document.createElement("ul");
  Object.assign(list, { id: "suggestions", className: "suggestions", hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", box.dataset.found);
  box.after(list);
  for (const [name, value] of [["role", "combobox"], ["aria-expanded", "false"], ["aria-controls", "suggestions"], ["aria-autocomplete", "list"]]) box.setAttribute(name, value);
  const { collection: where, as_of: day } = box.form.elements;
  let chosen = -1, asked = 0, timer = 0;
  const close = () => { list.hidden = true; chosen = -1; box.setAttribute("aria-expanded", "false"); box.removeAttribute("aria-activedescendant"); };
  const choose = (place) => {
    chosen = place;
    [...list.children].forEach((each, at) => each.setAttribute("aria-selected", at === place));
    if (place < 0) return box.removeAttribute("aria-activedescendant");
    box.setAttribute("aria-activedescendant", list.children[place].id);
    list.children[place].scrollIntoView({ block: "nearest" });
  };
  const go = ({ kind, docno, collection, text }) => {
    if (!docno) { box.value = text; close(); return box.form.requestSubmit(); }
    const address = new URL(kind === "law" ? box.dataset.law : box.dataset.provision, location.href);
    address.searchParams.set("docno", docno);
    address.searchParams.set("collection", collection);
    if (day && day.value) { // The law of the day that was chosen, or why there is none.
      address.searchParams.set("docno", docno.replace(/@\d{4}-\d\d-\d\d$/, ""));
      address.searchParams.set("as_of", day.value);
    } else address.searchParams.delete("as_of");
    location.href = address;
  };
  const show = (found) => {
    list.replaceChildren(...found.map((one, place) => {
      const item = document.createElement("li"), kind = document.createElement("small");
      Object.assign(item, { id: "suggestion-" + place, textContent: one.text });
      item.setAttribute("role", "option");
      kind.textContent = box.dataset["kind" + one.kind[0].toUpperCase() + one.kind.slice(1)] + (one.kind === "heading" && one.provisions > 1 ? " " + one.provisions : "");
      if (where && where.value === "all") kind.textContent += " · " + [...where.options].find((each) => each.value === one.collection).text;
      item.append(kind);
      item.addEventListener("mousedown", (event) => { event.preventDefault(); go(one); }); // Before the box loses the focus.
      return item;
    }));
    list.hidden = !found.length;
    box.setAttribute("aria-expanded", String(found.length > 0));
    choose(-1);
    list.go = (place) => go(found[place]);
  };
  const ask = async () => {
    const mine = ++asked, typed = box.value.trim();
    if (typed.length < 2 || typed.length > 60) return close();
    const query = new URLSearchParams({ q: typed, ...(where ? { collection: where.value } : {}) });
    try {
      const reply = await fetch(box.dataset.suggest + "?" + query);
      if (mine === asked && document.activeElement === box) show(reply.ok ? (await reply.json()).suggestions : []);
    } catch { close(); }
  };
  box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 120); });
  box.addEventListener("blur", () => { asked += 1; close(); });
  box.addEventListener("keydown", (event) => {
    if (event.isComposing || list.hidden) return;
    const last = list.children.length - 1;
    if (event.key === "ArrowDown") choose(chosen < last ? chosen + 1 : -1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? last : chosen - 1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && chosen >= 0) list.go(chosen);
    else return;
    event.preventDefault();
  });
}

// The passage of a citation, where the pointer or the focus is on its number; Escape closes it.
const preview = document.createElement("div");
preview.className = "preview";
preview.hidden = true;
let leaving = 0;
const leave = () => { leaving = setTimeout(() => { preview.hidden = true; }, 300); };
const look = (event) => {
  const link = event.target.closest && event.target.closest("a.citation");
  const source = link && document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (!source) return;
  clearTimeout(leaving);
  preview.replaceChildren(...[...source.querySelectorAll("h3, .extract")].map((each) => each.cloneNode(true)));
  for (const each of preview.querySelectorAll("a")) each.replaceWith(each.textContent); // The number is the link.
  document.getElementById("content").append(preview);
  preview.hidden = false;
  const { left, bottom } = link.getBoundingClientRect();
  preview.style.top = bottom + scrollY + 4 + "px";
  preview.style.left = Math.max(8, Math.min(left, document.documentElement.clientWidth - preview.offsetWidth - 8)) + scrollX + "px";
};
document.addEventListener("pointerover", look);
document.addEventListener("focusin", look);
document.addEventListener("pointerout", (event) => { if (event.target.closest(".citation, .preview")) leave(); });
preview.addEventListener("pointerover", () => clearTimeout(leaving));
document.addEventListener("focusout", (event) => { if (event.target.closest(".citation")) leave(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") preview.hidden = true; });

// An answer takes its time: with this file, its steps are shown until it is there.
for (const link of document.querySelectorAll("a.live")) link.search += "&live=1";
for (const form of document.querySelectorAll('form[action$="/answer"]')) {
  const live = document.createElement("input");
  Object.assign(live, { type: "hidden", name: "live", value: "1" });
  form.append(live);
}
const reply = document.getElementById("reply");
if (reply) {
  const address = new URL(location.href);
  address.searchParams.delete("live");
  history.replaceState(null, "", address);
  const step = reply.querySelector("[role=status]");
  const source = new EventSource(reply.dataset.steps);
  source.addEventListener("step", (event) => { step.textContent = JSON.parse(event.data).step; });
  source.addEventListener("answer", (event) => {
    source.close();
    reply.innerHTML = JSON.parse(event.data).html; // The server has escaped every text in it.
  });
  source.addEventListener("error", (event) => {
    source.close();
    step.textContent = event.data ? JSON.parse(event.data).error : step.dataset.lost;
  });
}
