// What makes the pages quicker to use; all of them work without it.
"use strict";

const form = document.getElementById("task");
const faults = document.getElementById("faults");
if (faults) faults.focus();

if (form) {
  const key = "countersight draft " + form.dataset.keep;
  const fields = () => [...form.elements].filter((field) => field.name && field.type !== "hidden");

  // Ctrl + Enter (or Command + Enter) sends; no single letter does anything.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit(document.getElementById("send"));
    }
  });

  // How long the page was looked at, and how much of the text was pasted: told to the worker, shown to reviewers.
  let seconds = 0, pasted = 0;
  setInterval(() => {
    if (!document.hidden) document.getElementById("seconds").value = ++seconds;
  }, 1000);
  form.addEventListener("paste", (event) => {
    pasted += (event.clipboardData || { getData: () => "" }).getData("text").length;
    const typed = fields().reduce((sum, field) => sum + (field.tagName === "TEXTAREA" ? field.value.length : 0), 0);
    document.getElementById("pasted").value = Math.min(1, pasted / Math.max(1, typed + pasted)).toFixed(3);
  });

  // A copy in this browser, for when the network is gone; the server's draft is the one that counts.
  const state = () => Object.fromEntries(fields().map((field, place) => [place, field.type === "radio" || field.type === "checkbox" ? field.checked : field.value]));
  form.addEventListener("input", () => {
    try { localStorage.setItem(key, JSON.stringify(state())); } catch { /* a full or closed store: the server has it */ }
  });
  form.addEventListener("submit", () => { try { localStorage.removeItem(key); } catch { /* as above */ } });
  const saved = document.getElementById("saved");
  document.body.addEventListener("htmx:sendError", () => { saved.textContent = "Not saved: the server cannot be reached. It is kept in this browser."; });
  document.body.addEventListener("htmx:responseError", (event) => {
    if (event.detail.target === saved) saved.textContent = "Not saved: log in again in another tab, then go on here.";
  });
  const kept = localStorage.getItem(key);
  if (kept && !saved.textContent.trim()) {
    try {
      const values = JSON.parse(kept);
      fields().forEach((field, place) => {
        if (!(place in values)) return;
        if (typeof values[place] === "boolean") field.checked = values[place];
        else field.value = values[place];
      });
    } catch { localStorage.removeItem(key); }
  }
}

// Marking an object: the mouse draws a box, and the four numbers say the same for the keyboard.
const marking = document.getElementById("marking");
if (marking) {
  marking.hidden = false;
  const box = document.getElementById("box");
  const sides = ["left", "top", "width", "height"].map((name) => document.getElementById(name));
  const radios = [...form.querySelectorAll("input[name=picture]")];
  const show = () => {
    sides.forEach((side) => { box.style[side.name] = (side.value || 0) + "%"; });
    box.hidden = !(Number(sides[2].value) && Number(sides[3].value));
    const chosen = radios.find((radio) => radio.checked);
    document.querySelectorAll("[data-picture]").forEach((figure) => {
      figure.classList.toggle("chosen", Boolean(chosen) && figure.dataset.picture === chosen.value);
    });
    if (chosen) marking.querySelector("img").src = "/pictures/" + chosen.value;
  };
  const place = (event) => {
    const frame = marking.getBoundingClientRect();
    const within = (value) => Math.round(Math.min(100, Math.max(0, value)));
    return [within(100 * (event.clientX - frame.left) / frame.width), within(100 * (event.clientY - frame.top) / frame.height)];
  };
  let begun = null;
  marking.addEventListener("pointerdown", (event) => { begun = place(event); marking.setPointerCapture(event.pointerId); });
  marking.addEventListener("pointermove", (event) => {
    if (!begun) return;
    const now = place(event);
    sides[0].value = Math.min(begun[0], now[0]); sides[1].value = Math.min(begun[1], now[1]);
    sides[2].value = Math.abs(begun[0] - now[0]); sides[3].value = Math.abs(begun[1] - now[1]);
    show();
  });
  marking.addEventListener("pointerup", () => { begun = null; form.dispatchEvent(new Event("input", { bubbles: true })); });
  sides.forEach((side) => side.addEventListener("input", show));
  radios.forEach((radio) => radio.addEventListener("change", show));
  document.querySelectorAll("[data-picture]").forEach((figure) => figure.addEventListener("click", () => {
    radios.find((radio) => radio.value === figure.dataset.picture).click();
  }));
  show();
}
