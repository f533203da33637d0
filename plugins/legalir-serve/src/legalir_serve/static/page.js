"use strict";
// Everything works without this file: it only adds buttons that copy the address of a view.
const copied = document.createElement("span");
copied.setAttribute("aria-live", "polite");
copied.className = "hidden";
document.body.append(copied);
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea"); // Over http there is no clipboard but this one.
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener("click", async () => {
    const cited = button.dataset.copy;
    const text = cited ? document.querySelector(".text").innerText.trim() + "\n\n" + cited + "\n" + location.href : location.href;
    await copy(text);
    button.textContent = "✓ " + label;
    copied.textContent = "✓ " + label;
    setTimeout(() => { button.textContent = label; copied.textContent = ""; }, 2000);
  });
}

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
  const said = reply.querySelector("[role=status]");
  const source = new EventSource(reply.dataset.steps);
  source.addEventListener("step", (event) => { said.textContent = JSON.parse(event.data).step; });
  source.addEventListener("answer", (event) => {
    source.close();
    reply.innerHTML = JSON.parse(event.data).html; // The server has escaped every text in it.
  });
  source.addEventListener("error", (event) => {
    source.close();
    said.textContent = event.data ? JSON.parse(event.data).error : said.dataset.lost;
  });
}
