"use strict";
// Everything works without this file: it only adds buttons that copy the address of a view.
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "✓ " + label;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}
